"""Bodies: hostile ones, and profiles that are taken."""

import gzip
import json
import os
import struct


def zstd_of_zeros(mib):
    """A frame of zstd with so many MiB of zeros: four bytes for each 128 KiB."""
    block = 128 << 10
    count = (mib << 20) // block
    frame = struct.pack("<I", 0xFD2FB528) + bytes([0b00000000, 0x38])
    for number in range(count):
        header = (block << 3) | (1 << 1) | (1 if number == count - 1 else 0)
        frame += struct.pack("<I", header)[:3] + b"\0"
    return frame


def push_of_empty_parts(bytes_packed):
    """A push of Pyroscope with as many empty labels as fit: two bytes each, packed."""
    labels = b"\x0a\x00" * (60 << 20 >> 1)
    length = len(labels)
    varint = b""
    while length >= 0x80:
        varint += bytes([length & 0x7F | 0x80])
        length >>= 7
    body = b"\x0a" + varint + bytes([length]) + labels
    packed = gzip.compress(body, 9)
    assert len(packed) < bytes_packed, len(packed)
    return packed


def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def push_of_series(count):
    """A push with so many series of a label and a sample each: little work, many objects."""
    label = b"\x0a\x01a\x12\x01b"
    series = b"\x0a" + varint(len(label)) + label + b"\x12\x00"
    return (b"\x0a" + varint(len(series)) + series) * count


def profile(number, functions=20):
    """A profile in XHProf's JSON."""
    calls = {"main()": {"ct": 1, "wt": 1000 + number}}
    for one in range(functions):
        calls[f"main()==>f{one}"] = {"ct": 1 + number % 7, "wt": 10}
    return json.dumps(calls).encode()


def unlike_others(functions=300):
    """A profile of functions that no other profile has: a store can share nothing of it."""
    calls = {"main()": {"ct": 1, "wt": 1000}}
    for name in os.urandom(16 * functions).hex(" ", 16).split():
        calls[f"main()==>{name}"] = {"ct": 1, "wt": 1}
    return json.dumps(calls).encode()


def large_profile(mib):
    """A profile of so many MiB, with names that no other profile has."""
    parts, size, number = ['{"main()":{"ct":1,"wt":1}'], 0, 0
    salt = os.urandom(4).hex()
    while size < mib << 20:
        part = f',"main()==>{salt}_{"x" * 200}_{number}":{{"ct":1,"wt":1}}'
        parts.append(part)
        size += len(part)
        number += 1
    return ("".join(parts) + "}").encode()


def buggregator(mib):
    """JSON for Buggregator of so many MiB, most of it in tags."""
    calls = json.loads(profile(1))
    tags = {f"tag{number}": "x" * 100 for number in range((mib << 20) // 120)}
    return json.dumps({"profile": calls, "tags": tags, "app_name": "blog"}).encode()


def batch(profiles, boundary="b"):
    """The profiles as an agent sends them."""
    parts = b""
    for one in profiles:
        parts += f'--{boundary}\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n'.encode()
        parts += one + b"\r\n"
    return parts + f"--{boundary}--\r\n".encode()
