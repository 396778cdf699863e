"""Runs a program and measures its CPU time."""

import os
import resource
import subprocess
import tempfile
import time
from dataclasses import dataclass


class RunFailed(Exception):
    """A program failed."""


@dataclass(frozen=True)
class Run:
    """The result of one run."""

    output: str
    status: int
    cpu_s: float
    # From start to end.
    wall_s: float


def run(command, environment=None, expected=(0,), stack=None):
    """Runs to the end, with a C stack of the given size, if any.

    User and system time are the kernel's, for this process and the child processes that it waited for.
    """

    def limit_stack():
        most = resource.getrlimit(resource.RLIMIT_STACK)[1]
        resource.setrlimit(resource.RLIMIT_STACK, (stack if most == resource.RLIM_INFINITY else min(stack, most), most))

    began = time.monotonic()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **(environment or {})},
        preexec_fn=limit_stack if stack else None,
    )
    output = process.stdout.read().decode("utf-8", "replace")
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in expected:
        raise RunFailed(f"ended with {process.returncode}: {' '.join(command)}\n{output[-2000:]}")
    return Run(output, process.returncode, usage.ru_utime + usage.ru_stime, time.monotonic() - began)


def run_together(programs, cpu):
    """Runs some at the same time on one CPU, each given as (command, environment, expected exit codes): a Run each."""
    started = {}
    for command, environment, _ in programs:
        output = tempfile.TemporaryFile()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            preexec_fn=lambda: os.sched_setaffinity(0, {cpu}),
        )
        started[process.pid] = process, output, time.monotonic()
    ended = {}
    while len(ended) < len(started):
        pid, status, usage = os.wait4(-1, 0)
        if pid in started:
            process, output, began = started[pid]
            process.returncode = os.waitstatus_to_exitcode(status)
            ended[pid] = Run(
                text_of(output), process.returncode, usage.ru_utime + usage.ru_stime, time.monotonic() - began
            )
    runs = [ended[pid] for pid in started]
    for it, (command, _, expected) in zip(runs, programs):
        if it.status not in expected:
            raise RunFailed(f"ended with {it.status}: {' '.join(command)}\n{it.output[-2000:]}")
    return runs


def text_of(file):
    """The whole content of a written file; closes it."""
    with file:
        file.seek(0)
        return file.read().decode("utf-8", "replace")
