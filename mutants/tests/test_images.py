"""Arguments have one image where no function could tell them apart, and are made again from it; others have none."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acidtest.mutants.images import NoImageError, digest, made, of_arguments, quickly

_NUMBERS = st.one_of(st.integers(), st.booleans(), st.floats(allow_nan=False), st.just(math.nan), st.none())
_TEXTS = st.one_of(st.text(max_size=5), st.binary(max_size=5))
_SHAPES = st.lists(st.integers(0, 3), max_size=3).map(tuple)
_DTYPES = st.sampled_from(["?", "b", "B", "i", "l", "L", "q", "Q", "e", "f", "d", "F", "D", "S3", "U3"])


@st.composite
def _arrays(draw: st.DrawFn) -> "np.ndarray[Any, Any]":
    shape, dtype = draw(_SHAPES), np.dtype(draw(_DTYPES))
    array = np.frombuffer(draw(st.randoms()).randbytes(16 * 27), np.uint8)
    size = math.prod(shape)
    bits = dtype.kind not in "SUb"
    whole = array[: size * dtype.itemsize].view(dtype) if bits else (array[:size] % 2).astype(dtype)
    whole = whole.reshape(shape).copy()
    whole.flags.writeable = draw(st.booleans())
    return whole


_ARGUMENTS = st.lists(
    st.recursive(
        st.one_of(_NUMBERS, _TEXTS, _arrays(), st.floats(allow_nan=False).map(np.float64), st.booleans().map(np.bool_)),
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.lists(inner, max_size=3).map(tuple)),
        max_leaves=6,
    ),
    max_size=4,
).map(tuple)


@given(_ARGUMENTS)
def test_arguments_made_from_an_image_have_that_image(args: tuple[Any, ...]) -> None:
    image = of_arguments(args)
    assert of_arguments(made(image)) == image
    assert {image: 1}[of_arguments(args)] == 1


@given(_ARGUMENTS)
def test_what_has_a_quick_image_has_an_image(args: tuple[Any, ...]) -> None:
    if (quick := quickly(args)) is not None:
        assert quickly(made(of_arguments(args))) == quick
        assert of_arguments(made(quick)) == of_arguments(args)


def test_what_most_calls_are_made_with_has_a_quick_image() -> None:
    vector = np.array([0.5, 0.5])
    for args in [(), (vector, 0.0), (-0.0, 0.5, 0.0), ("p", vector), (vector, vector.copy(), 1, 0.25, True)]:
        image = quickly(args)
        assert image is not None
        assert of_arguments(made(image)) == of_arguments(args)
    for other in [
        (vector, vector),
        (vector[:1],),
        (np.ones((1, 2)),),
        (math.nan,),
        (np.float64(1),),
        (2**2000,),
        ([],),
    ]:
        assert quickly(other) is None


@given(_ARGUMENTS, _ARGUMENTS)
def test_images_and_their_digests_are_equal_together(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    images = of_arguments(one), of_arguments(made(of_arguments(one))), of_arguments(other)
    for image in images:
        assert (image == images[0]) == (digest(image) == digest(images[0]))


def test_one_object_is_made_as_one_object() -> None:
    inner, array = [1], np.ones(2)
    one, (two, three), four, five = made(of_arguments((inner, [inner, array], array, [1])))
    assert one is two
    assert three is four
    assert one == five
    assert one is not five


def test_nothing_that_is_made_is_what_it_was_made_from() -> None:
    array = np.ones(2)
    (again,) = made(of_arguments((array,)))
    again[0] = 5
    assert array.tolist() == [1, 1]


def test_arguments_are_alike_only_where_no_function_could_tell() -> None:
    shared = [1]
    different: list[tuple[Any, ...]] = [
        (1,),
        (1.0,),
        (True,),
        ("1",),
        (b"1",),
        (None,),
        (0.0,),
        (-0.0,),
        (math.nan,),
        (np.float64(1.0),),
        (np.float32(1.0),),
        ([1],),
        ((1,),),
        ([1], [1]),
        (shared, shared),
        (np.ones(2),),
        (np.ones(2, dtype=np.float32),),
        (np.ones((2, 1)),),
        (np.ones(2, dtype="l"),),
        (np.ones(2, dtype="q"),),
        (np.longlong(1),),
        (np.zeros(2),),
        (_read_only(np.ones(2)),),
        (1, 1),
        ((1, 1),),
    ]
    images = [of_arguments(args) for args in different]
    assert len(set(images)) == len(images)
    quick = [image for args in different if (image := quickly(args)) is not None]
    assert len(set(quick)) == len(quick) > 5


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _deep(levels: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(levels):
        inner = [inner]
    return inner


@pytest.mark.parametrize(
    "args",
    [
        (iter([1]),),
        (2**2000,),
        (-(2**2000),),
        (object(),),
        ({1: 2},),
        (np.ones(4)[::2],),
        (np.array([None]),),
        (np.ones(2).view(np.recarray),),
        (lambda view: (view, view[:1]))(np.ones(4)[1:]),
        (np.zeros(2, dtype=[("a", "f8")]),),
        (np.zeros(2, dtype=np.dtype("f8", metadata={"unit": "m"})),),
        (np.zeros(2, dtype=">f8"),),
        (np.zeros((1, 4)).T[:1].reshape(1, 1),),
        (float("nan"),),
        (np.float64("nan"),),
        (_deep(100),),
        (_deep(100_000),),
        (np.zeros(10**6),),
        ([0] * 10**6,),
        ("x" * 10**6,),
    ],
    ids=[
        *(
            "iterator",
            "a very long number",
            "a very low number",
            "object",
            "dict",
            "strided",
            "objects",
            "subclass",
            "shared memory",
        ),
        *("fields", "metadata", "other byte order", "odd strides", "a NaN of its own", "numpy's NaN"),
        *("deep", "very deep", "a large array", "a long list", "a long text"),
    ],
)
def test_what_a_copy_would_not_stand_for_has_no_image(args: tuple[Any, ...]) -> None:
    with pytest.raises(NoImageError):
        of_arguments(args)
