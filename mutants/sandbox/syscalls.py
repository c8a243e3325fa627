"""The numbers of Linux's system calls on the two machines that the walls are built for, by what a call is for.

A line has names, each with its number on x86_64 and on aarch64; ``-`` where the machine has none.
"""

CALCULATING = """
read=0/63 write=1/64 readv=19/65 writev=20/66 pread64=17/67 pwrite64=18/68 preadv=295/69 close=3/57
close_range=436/436 lseek=8/62 dup=32/23 dup2=33/- dup3=292/24 mmap=9/222 munmap=11/215 mprotect=10/226
mremap=25/216 brk=12/214 madvise=28/233 msync=26/227 mincore=27/232 futex=202/98 sched_yield=24/124 getcpu=309/168
rt_sigaction=13/134 rt_sigprocmask=14/135 rt_sigreturn=15/139 rt_sigpending=127/136 rt_sigtimedwait=128/137
rt_sigsuspend=130/133 sigaltstack=131/132 pause=34/- alarm=37/- getitimer=36/102 setitimer=38/103
restart_syscall=219/128 exit=60/93 exit_group=231/94 set_tid_address=218/96 set_robust_list=273/99 rseq=334/293
membarrier=324/283
"""
"""Memory, signals to oneself, the files that are open: what every program does all the time."""

LOOKING = """
openat=257/56 open=2/- stat=4/- fstat=5/80 lstat=6/- newfstatat=262/79 statx=332/291 access=21/- faccessat=269/48
faccessat2=439/439 readlink=89/- readlinkat=267/78 getdents64=217/61 getdents=78/- getcwd=79/17 umask=95/166
fadvise64=221/223 sched_getaffinity=204/123 nanosleep=35/101 clock_nanosleep=230/115 clock_gettime=228/113
clock_getres=229/114 gettimeofday=96/169 time=201/- times=100/153 getrusage=98/165 getrlimit=97/163 getpid=39/172
getppid=110/173 gettid=186/178 getuid=102/174 geteuid=107/175 getgid=104/176 getegid=108/177 getresuid=118/148
getresgid=120/150 getgroups=115/158 getpgid=121/155 getpgrp=111/- getsid=124/156 capget=125/90 getpriority=140/141
uname=63/160 sysinfo=99/179 getrandom=318/278 wait4=61/260 waitid=247/95
"""
"""Files that the walls let it open, the clock, who one is."""

TALKING = """
poll=7/- ppoll=271/73 select=23/- pselect6=270/72 sendto=44/206 recvfrom=45/207 shutdown=48/210 getsockname=51/204
getpeername=52/205 getsockopt=55/209
"""
"""The sockets that are open."""

SOME = """
fcntl=72/25 ioctl=16/29 prlimit64=302/261 kill=62/129 tkill=200/130 tgkill=234/131
"""
"""Allowed with some arguments and refused with others; `seccomp` has the rules."""

STARTING = """
clone=56/220 clone3=435/435 fork=57/- vfork=58/- execve=59/221 execveat=322/281
"""
"""Another process, thread or program."""

CONNECTING = """
socket=41/198 socketpair=53/199 connect=42/203 bind=49/200 listen=50/201 accept=43/202 accept4=288/242
"""
"""A socket of one's own."""

MEMORY = """
memfd_create=319/279 memfd_secret=447/447 shmget=29/194 shmat=30/196 shmctl=31/195 shmdt=67/197 msgget=68/186
msgsnd=69/189 msgrcv=70/188 msgctl=71/187 semget=64/190 semop=65/193 semctl=66/191 semtimedop=220/192
mq_open=240/180 mq_unlink=241/181 userfaultfd=323/282
"""
"""Memory, or messages, that no limit of the process counts."""

OTHERS = """
ptrace=101/117 process_vm_readv=310/270 process_vm_writev=311/271 pidfd_open=434/434 pidfd_getfd=438/438
pidfd_send_signal=424/424 rt_sigqueueinfo=129/138 rt_tgsigqueueinfo=297/240 kcmp=312/272 process_madvise=440/440
process_mrelease=448/448 move_pages=279/239 migrate_pages=256/238
"""
"""Another process's memory, files and signals."""

KERNEL = """
io_uring_setup=425/425 io_uring_enter=426/426 io_uring_register=427/427 io_setup=206/0 bpf=321/280
perf_event_open=298/241 keyctl=250/219 add_key=248/217 request_key=249/218 mount=165/40 umount2=166/39
pivot_root=155/41 chroot=161/51 move_mount=429/429 open_tree=428/428 fsopen=430/430 fsconfig=431/431 fsmount=432/432
fspick=433/433 mount_setattr=442/442 unshare=272/97 setns=308/268 personality=135/92 name_to_handle_at=303/264
open_by_handle_at=304/265 fanotify_init=300/262 init_module=175/105 finit_module=313/273 delete_module=176/106
kexec_load=246/104 kexec_file_load=320/294 reboot=169/142 swapon=167/224 swapoff=168/225 acct=163/89 quotactl=179/60
syslog=103/116 sethostname=170/161 setdomainname=171/162 settimeofday=164/170 clock_settime=227/112 adjtimex=159/171
clock_adjtime=305/266 iopl=172/- ioperm=173/- modify_ldt=154/- vhangup=153/58 lookup_dcookie=212/18
nfsservctl=180/42
"""
"""The machine itself: mounts, namespaces, modules, keys, the clock, the kernel's own little machines."""

CHANGING = """
creat=85/- mkdir=83/- mkdirat=258/34 mknod=133/- mknodat=259/33 unlink=87/- unlinkat=263/35 rmdir=84/- rename=82/-
renameat=264/38 renameat2=316/276 link=86/- linkat=265/37 symlink=88/- symlinkat=266/36 chmod=90/- fchmod=91/52
fchmodat=268/53 chown=92/- fchown=93/55 lchown=94/- fchownat=260/54 truncate=76/45 ftruncate=77/46 fallocate=285/47
utimensat=280/88 utime=132/- utimes=235/- futimesat=261/- setxattr=188/5 lsetxattr=189/6 fsetxattr=190/7 flock=73/32
chdir=80/49 fchdir=81/50
"""
"""Anything in a file system."""

BECOMING = """
setuid=105/146 setgid=106/144 setreuid=113/145 setregid=114/143 setresuid=117/147 setresgid=119/149
setgroups=116/159 setfsuid=122/151 setfsgid=123/152 capset=126/91 prctl=157/167 seccomp=317/277 setsid=112/157
setpgid=109/154 setpriority=141/140 sched_setaffinity=203/122 sched_setscheduler=144/119 sched_setparam=142/118
sched_setattr=314/274 ioprio_set=251/30 setrlimit=160/164 landlock_create_ruleset=444/444 landlock_add_rule=445/445
landlock_restrict_self=446/446
"""
"""Another identity, another place in the machine's order."""

HOLDING = """
sendmsg=46/211 recvmsg=47/212 sendmmsg=307/269 recvmmsg=299/243 setsockopt=54/208 pipe=22/- pipe2=293/59
inotify_init=253/- inotify_init1=294/26 inotify_add_watch=254/27 eventfd=284/- eventfd2=290/19 timerfd_create=283/85
signalfd=282/- signalfd4=289/74 epoll_create=213/- epoll_create1=291/20 timer_create=222/107 mlock=149/228
mlock2=325/284 mlockall=151/230 vmsplice=278/75 splice=275/76 tee=276/77 sendfile=40/71 copy_file_range=326/285
mbind=237/235 set_mempolicy=238/237
"""
"""Kernel memory behind a descriptor, or data past the wire."""


def numbers(group: str, machine: str) -> dict[str, int]:
    """Return the calls of a group that a machine has, name to number.

    Raises:
        ValueError: the machine is neither x86_64 nor aarch64.
    """
    column = ("x86_64", "aarch64").index(machine)
    found = {}
    for word in group.split():
        name, pair = word.split("=")
        number = pair.split("/")[column]
        if number != "-":
            found[name] = int(number)
    return found
