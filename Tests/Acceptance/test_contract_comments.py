"""The comments of the contract are complete and agree with docs/errors.md."""

import functools
import re

import grpc
import pytest
from google.protobuf import descriptor_pb2

import contract

CODES = {code.name for code in grpc.StatusCode} - {"OK", "UNKNOWN"}
STREAMING = ["First:", "Dropped:", "Ends:", "Errors:"]

# Reasons that no RPC names, because the server refuses the call before an RPC handles it, or because the client ends
# the call.
OF_EVERY_CALL = {
    "CANCELLED": "The client ended the call.",
    "DEADLINE_EXCEEDED": "The client's deadline ended the call.",
    "INTERNAL": "A bug of the daemon.",
    "MALFORMED_REQUEST": "The bytes are no message.",
    "METHOD_NOT_FOUND": "There is no such RPC.",
    "MISSING_REQUEST": "There is no message.",
    "SERVICE_NOT_FOUND": "Health was asked about a service that is not there.",
}


def rows():
    """Each reason of docs/errors.md with its code, in the order of the tables."""
    for line in (contract.REPOSITORY / "docs/errors.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 4:
            code = re.search(r"[A-Z_]{2,}", cells[1])
            # A row without a code uses the name of the reason as the code.
            yield from ((name, code[0] if code else name) for name in re.findall(r"`([A-Z_]+)`", cells[0]))


@functools.cache
def documented():
    """The code of each reason in docs/errors.md."""
    return dict(rows())


def reasons_in(text):
    """The reasons that a paragraph names in backticks, each with the code in front of it, or None without a code."""
    code = None
    for quoted, plain in re.findall(r"`([A-Z]+(?:_[A-Z]+)*)`|\b([A-Z]+(?:_[A-Z]+)*)\b", text):
        if plain in CODES:
            code = plain
        elif quoted in documented() or "_" in quoted:
            yield quoted, code


def test_a_reason_is_documented_once_with_a_canonical_code():
    reasons = [reason for reason, _ in rows()]
    assert [reason for reason in reasons if reasons.count(reason) > 1] == []
    assert {reason: code for reason, code in rows() if code not in CODES} == {}


@pytest.mark.parametrize("name", [named.full_name for named in contract.methods()])
def test_every_reason_of_a_call_is_documented_with_its_code(name):
    (method,) = (named for named in contract.methods() if named.full_name == name)
    known = documented()
    for paragraph in method.paragraphs:
        for reason, code in reasons_in(paragraph):
            assert reason in known, f"{reason} is not in docs/errors.md"
            assert code in (None, known[reason]), f"{reason} has the code {known[reason]} in docs/errors.md"


def test_every_reason_in_another_comment_is_documented_with_its_code():
    known, faults = documented(), []
    for named in contract.everything():
        if isinstance(named.proto, descriptor_pb2.MethodDescriptorProto):
            continue
        # A code counts for the reasons in its own clause only.
        for clause in re.split(r"[;:]\s|\.\s", " ".join(named.comment.split())):
            for reason, code in reasons_in(clause):
                if reason not in known or code not in (None, known[reason]):
                    faults.append((named.full_name, code, reason))
    assert faults == []


def test_every_documented_reason_is_named_by_a_call():
    named = {reason for each in contract.everything() for reason, _ in reasons_in(" ".join(each.comment.split()))}
    assert set(documented()) - named - set(OF_EVERY_CALL) == set()
    assert set(OF_EVERY_CALL) & named == set(), "these are named after all"
    assert set(OF_EVERY_CALL) <= set(documented())


@pytest.mark.parametrize("name", [named.full_name for named in contract.methods()])
def test_every_call_says_in_order_what_comes_and_what_may_go_wrong(name):
    (method,) = (named for named in contract.methods() if named.full_name == name)
    wanted = STREAMING if method.proto.server_streaming else ["Errors:"]
    starts = [re.match(r"(\w+:)?", paragraph)[1] for paragraph in method.paragraphs]
    assert [start for start in starts if start in STREAMING] == wanted
    assert starts[-len(wanted) :] == wanted, "nothing comes between them or after them"
    assert starts[0] not in STREAMING, "the first paragraph says what the call does"
    for paragraph in method.paragraphs:
        assert paragraph.endswith("."), paragraph
        assert re.match(r"(First|Dropped|Ends|Errors): \S", paragraph) or paragraph[0].isupper(), paragraph


def test_everything_has_a_comment():
    # A oneof may have its comments on its fields.
    bare = [
        named.full_name
        for named in contract.everything()
        if not named.comment.strip() and not isinstance(named.proto, descriptor_pb2.OneofDescriptorProto)
    ]
    assert bare == []


def test_comments_are_sentences():
    faults = []
    for named in contract.everything():
        text = " ".join(named.comment.split())
        if text and not re.search(r"[.…:`)]$", text):
            faults.append(f"{named.full_name}: {text[-60:]}")
    assert faults == []


def sent_fields():
    """Every field that a client may send, with the comment of its message."""
    sent = contract.requests()
    about = {message.full_name: message.comment for message in contract.messages()}
    return [(field, about[field.parent]) for field in contract.fields() if field.parent in sent]


def test_a_comment_that_speaks_of_a_default_names_it():
    after = r"[Dd]efault:? (?!is\b|of\b|for\b|which\b|value\b)[\w`]"
    before = r"\(default\)|\w is the default\b|\w by default\b|'s default\b"
    for field, _ in sent_fields():
        text = " ".join(field.comment.split())
        if re.search(r"\b[Dd]efaults?\b", text):
            assert re.search(f"{after}|{before}", text), f"{field.full_name}: {text}"


def test_a_field_that_may_be_unset_says_what_that_means():
    said = r"\b[Dd]efault\b|\b[Uu]nset\b|\bneeded\b|\bNeeded\b"
    for field, about in sent_fields():
        if field.proto.proto3_optional:
            assert re.search(said, field.comment) or re.search(said, about), field.full_name
