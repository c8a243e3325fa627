"use strict";
/* Exact rational numbers over BigInt, always in lowest terms with a positive denominator. */
class Rational {
  constructor(top, bottom = 1n) {
    if (bottom === 0n) throw new RangeError("a fraction has no denominator 0");
    const sign = bottom < 0n ? -1n : 1n;
    const divisor = Rational.gcd(top < 0n ? -top : top, bottom < 0n ? -bottom : bottom) || 1n;
    this.top = (sign * top) / divisor;
    this.bottom = (sign * bottom) / divisor;
    Object.freeze(this);
  }

  static gcd(a, b) {
    while (b) [a, b] = [b, a % b];
    return a;
  }

  /** Read `3/4`, `0.75`, `.5`, `1e-3`, `2`; throw a RangeError that names what cannot be read. */
  static parse(text) {
    const plain = text.trim();
    const fraction = plain.split("/");
    if (fraction.some((part) => part.length > 1200)) throw new RangeError("a number of more than 1200 characters");
    if (fraction.length === 2) return Rational.parse(fraction[0]).over(Rational.parse(fraction[1]));
    const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i.exec(plain);
    if (!match || !(match[2] || match[3])) throw new RangeError(`“${plain}” is no number`);
    const decimals = match[3] ?? "";
    const digits = BigInt((match[2] || "0") + decimals) * (match[1] === "-" ? -1n : 1n);
    const power = BigInt(match[4] ?? 0) - BigInt(decimals.length);
    return power < 0n ? new Rational(digits, 10n ** -power) : new Rational(digits * 10n ** power);
  }

  plus(other) { return new Rational(this.top * other.bottom + other.top * this.bottom, this.bottom * other.bottom); }
  minus(other) { return new Rational(this.top * other.bottom - other.top * this.bottom, this.bottom * other.bottom); }
  times(other) { return new Rational(this.top * other.top, this.bottom * other.bottom); }
  over(other) { return new Rational(this.top * other.bottom, this.bottom * other.top); }
  power(n) { return new Rational(this.top ** BigInt(n), this.bottom ** BigInt(n)); }
  compare(other) {
    const left = this.top * other.bottom, right = other.top * this.bottom;
    return left < right ? -1 : left > right ? 1 : 0;
  }
  equals(other) { return this.top === other.top && this.bottom === other.bottom; }
  get sign() { return this.top < 0n ? -1 : this.top > 0n ? 1 : 0; }
  min(other) { return this.compare(other) <= 0 ? this : other; }
  toString() { return this.bottom === 1n ? `${this.top}` : `${this.top}/${this.bottom}`; }

  /** The nearest number, for drawing only: right for fractions of any length. */
  toNumber() {
    const exact = Number(this.top) / Number(this.bottom);
    if (Number.isFinite(exact)) return exact;
    const shift = BigInt(Math.max(0, this.bottom.toString(2).length - 900));
    return Number(this.top >> shift) / Number(this.bottom >> shift);
  }

  static sum(values) { return values.reduce((total, value) => total.plus(value), Rational.ZERO); }
}
Rational.ZERO = new Rational(0n);
Rational.ONE = new Rational(1n);
