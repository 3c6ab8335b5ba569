"""The contract as descriptors, with the comments of the .proto files. Reading the contract needs no daemon."""

from __future__ import annotations

import functools
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

from google.protobuf import descriptor_pb2

REPOSITORY = pathlib.Path(__file__).parents[2]
V1, DRILL = "firstlight.v1", "firstlight.drill.v1"

FieldType = descriptor_pb2.FieldDescriptorProto.Type
NUMBERS = {
    FieldType.TYPE_DOUBLE,
    FieldType.TYPE_FLOAT,
    FieldType.TYPE_INT32,
    FieldType.TYPE_INT64,
    FieldType.TYPE_UINT32,
    FieldType.TYPE_UINT64,
    FieldType.TYPE_SINT32,
    FieldType.TYPE_SINT64,
    FieldType.TYPE_FIXED32,
    FieldType.TYPE_FIXED64,
    FieldType.TYPE_SFIXED32,
    FieldType.TYPE_SFIXED64,
}


class Named(NamedTuple):
    """Something that the contract names: a message, a field, a oneof, an enum, a value, a service or an RPC."""

    #: The full name, for example `firstlight.v1.Session.State`.
    full_name: str
    #: The descriptor, for example a FieldDescriptorProto.
    proto: Any
    #: The comment that stands above the declaration in the .proto file.
    comment: str

    @property
    def parent(self) -> str:
        """The full name of the enclosing declaration or package."""
        return self.full_name.rsplit(".", 1)[0]

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs of the comment, each on one line."""
        return [" ".join(paragraph.split()) for paragraph in self.comment.split("\n\n") if paragraph.strip()]


@functools.cache
def files() -> dict[str, descriptor_pb2.FileDescriptorProto]:
    """Every file of the contract and every file that the contract imports, by path."""
    protos = [str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "proto/firstlight").rglob("*.proto")]
    with tempfile.NamedTemporaryFile() as out:
        flags = ["-Iproto", "--include_imports", "--include_source_info", f"--descriptor_set_out={out.name}"]
        subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *flags, *protos], cwd=REPOSITORY, check=True)
        found = descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(out.name).read_bytes())
    return {file.name: file for file in found.file}


def own() -> list[descriptor_pb2.FileDescriptorProto]:
    """The files of the contract itself, without imported ones."""
    return [file for name, file in files().items() if name.startswith("firstlight/")]


@functools.cache
def everything() -> tuple[Named, ...]:
    """All that the contract names, in the order of the files."""
    return tuple(named for file in own() for named in _names(file))


def of_type(kind: type, package: str = "firstlight.") -> list[Named]:
    """All descriptors of one kind in a package. The package may end with its name or with a full stop."""
    prefix = package if package.endswith(".") else package + "."
    return [named for named in everything() if isinstance(named.proto, kind) and named.full_name.startswith(prefix)]


def messages(package: str = "firstlight.") -> list[Named]:
    """The messages of a package."""
    return of_type(descriptor_pb2.DescriptorProto, package)


def fields(package: str = "firstlight.") -> list[Named]:
    """The fields of all messages of a package."""
    return of_type(descriptor_pb2.FieldDescriptorProto, package)


def enums(package: str = "firstlight.") -> list[Named]:
    """The enums of a package."""
    return of_type(descriptor_pb2.EnumDescriptorProto, package)


def methods(package: str = "firstlight.") -> list[Named]:
    """The RPCs of all services of a package."""
    return of_type(descriptor_pb2.MethodDescriptorProto, package)


def reachable(*roots: str) -> set[str]:
    """The full names of the messages `roots`, and of every message and enum among their fields, directly or not."""
    found: set[str] = set()
    waiting = list(roots)
    below: dict[str, list[str]] = {}
    for field in fields():
        if field.proto.type_name:
            below.setdefault(field.parent, []).append(field.proto.type_name.removeprefix("."))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += below.get(name, [])
    return found


def requests() -> set[str]:
    """The full names of the messages that clients send: the requests and all messages and enums inside them."""
    return reachable(
        *(method.proto.input_type.removeprefix(".") for method in methods()), f"{V1}.SharedVideoDataRequest"
    )


def is_number(field: Named) -> bool:
    """Whether a field holds numbers."""
    return field.proto.type in NUMBERS


def type_of(field: Named) -> str:
    """The type of a field, for example `TYPE_STRING` or `firstlight.v1.Size`. A repeated field has the type of its
    elements.
    """
    return field.proto.type_name.removeprefix(".") or FieldType.Name(field.proto.type)


def _names(file: descriptor_pb2.FileDescriptorProto) -> Iterator[Named]:
    comments = {tuple(place.path): place.leading_comments for place in file.source_code_info.location}

    def message(proto: descriptor_pb2.DescriptorProto, path: tuple[int, ...], scope: str) -> Iterator[Named]:
        name = f"{scope}.{proto.name}"
        yield Named(name, proto, comments.get(path, ""))
        for index, field in enumerate(proto.field):
            yield Named(f"{name}.{field.name}", field, comments.get((*path, 2, index), ""))
        for index, oneof in enumerate(proto.oneof_decl):
            # protoc makes a oneof for each `optional` field. The contract does not name these oneofs.
            if any(f.HasField("oneof_index") and f.oneof_index == index and not f.proto3_optional for f in proto.field):
                yield Named(f"{name}.{oneof.name}", oneof, comments.get((*path, 8, index), ""))
        for index, nested in enumerate(proto.nested_type):
            yield from message(nested, (*path, 3, index), name)
        for index, nested in enumerate(proto.enum_type):
            yield from enum(nested, (*path, 4, index), name)

    def enum(proto: descriptor_pb2.EnumDescriptorProto, path: tuple[int, ...], scope: str) -> Iterator[Named]:
        name = f"{scope}.{proto.name}"
        yield Named(name, proto, comments.get(path, ""))
        for index, value in enumerate(proto.value):
            yield Named(f"{name}.{value.name}", value, comments.get((*path, 2, index), ""))

    for index, proto in enumerate(file.message_type):
        yield from message(proto, (4, index), file.package)
    for index, proto in enumerate(file.enum_type):
        yield from enum(proto, (5, index), file.package)
    for index, service in enumerate(file.service):
        name = f"{file.package}.{service.name}"
        yield Named(name, service, comments.get((6, index), ""))
        for number, method in enumerate(service.method):
            yield Named(f"{name}.{method.name}", method, comments.get((6, index, 2, number), ""))
