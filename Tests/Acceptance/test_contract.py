"""Rules for the whole contract, checked in its descriptors and comments: one name means one thing everywhere."""

import re
from collections import defaultdict

import pytest
from google.protobuf import descriptor_pb2

import contract
from contract import DRILL, V1

Label = descriptor_pb2.FieldDescriptorProto.Label

# Names that have two types, although neither is the noun of a response nor a nested State. The design fixes these
# names.
TWO_TYPES = {
    "device": "A request names the camera, and an event carries all of it.",
    "photo": "In a configuration it is the photo output, everywhere else a picture.",
    "type": "In a reading it is the kernel's word, and in a resource of the library it says what the file is for.",
}


def is_noun_of_a_response(field):
    """Whether the field is a message in a response, which merely wraps this message."""
    return field.parent.endswith("Response") and field.proto.type == contract.FieldType.TYPE_MESSAGE


def is_state(field):
    return contract.type_of(field).endswith(".State")


def types_by_name(package, *excepted):
    """The types of each field name that has several. Fields for which one of `excepted` holds do not count."""
    found = defaultdict(lambda: defaultdict(list))
    for field in contract.fields(package):
        if not any(exception(field) for exception in excepted):
            found[field.proto.name][contract.type_of(field)].append(field.full_name)
    return {name: dict(types) for name, types in found.items() if len(types) > 1}


@pytest.mark.parametrize("package", [V1, DRILL])
def test_a_field_name_has_one_type(package):
    several = types_by_name(package, is_noun_of_a_response, is_state)
    assert {name: types for name, types in several.items() if name not in TWO_TYPES} == {}


def test_no_exception_to_one_type_is_left_over():
    assert set(TWO_TYPES) <= set(types_by_name(V1, is_noun_of_a_response, is_state))
    assert types_by_name(V1, is_state) != types_by_name(V1, is_noun_of_a_response, is_state)
    assert types_by_name(V1, is_noun_of_a_response) != types_by_name(V1, is_noun_of_a_response, is_state)


def test_a_nested_state_is_always_called_state():
    assert {
        field.full_name for field in contract.fields() if is_state(field) and "state" not in field.proto.name
    } == set()


def test_nothing_that_only_the_daemon_says_can_be_sent():
    sent = contract.requests()
    faults = [name for name in sent if name.endswith("Capabilities")]
    for field in contract.fields():
        if field.parent in sent:
            name = field.proto.name
            told = name.endswith("_supported") or name.startswith(("available_", "supported_"))
            if told or re.search(r"output[ -]only|read[ -]only\b", field.comment, re.IGNORECASE):
                faults.append(field.full_name)
    assert faults == []


def test_nothing_that_is_read_back_has_less_than_what_is_sent():
    session = {field.proto.name: contract.type_of(field) for field in contract.fields(f"{V1}.Session")}
    assert session["configuration"] == session["resolved_configuration"] == f"{V1}.SessionConfiguration"


def test_everything_is_reachable_from_a_call():
    called = {f"{V1}.SharedVideoDataRequest", f"{V1}.SharedVideoDataResponse"}
    for method in contract.methods():
        called |= {method.proto.input_type.removeprefix("."), method.proto.output_type.removeprefix(".")}
    there = {named.full_name for named in contract.messages() + contract.enums()}
    assert there - contract.reachable(*called) == set()


def test_every_call_has_messages_of_its_own():
    used = defaultdict(list)
    for method in contract.methods():
        assert method.proto.input_type == f".{contract_package(method)}.{method.proto.name}Request"
        assert method.proto.output_type == f".{contract_package(method)}.{method.proto.name}Response"
        used[method.proto.input_type].append(method.full_name)
    assert {name: calls for name, calls in used.items() if len(calls) > 1} == {}


def contract_package(method):
    return DRILL if method.full_name.startswith(DRILL) else V1


def test_drills_are_in_a_package_of_their_own():
    drills = {method.full_name for method in contract.methods(DRILL)}
    assert drills == {
        f"{DRILL}.FaultInjectionService.InjectFault",
        f"{DRILL}.PressureDrillService.SimulateLevel",
        f"{DRILL}.TaskPoolDrillService.BlockTaskPool",
    }
    for file in contract.own():
        if file.package == V1:
            assert [name for name in file.dependency if "drill" in name] == []
    named = {named.full_name for named in contract.everything() if named.full_name.startswith(V1)}
    assert {name for name in named if re.search(r"Fault[A-Z]|Fault$|Drill|Inject|Simulate", name)} == set()


def test_lengths_of_time_are_durations():
    pattern = r"(^|_)(ms|us|millis|micros|seconds|secs|minutes|duration|time_?out|delay|latency|window|lag)$"
    numbers = [field.full_name for field in contract.fields() if contract.is_number(field)]
    assert [name for name in numbers if re.search(pattern, name.rsplit(".", 1)[1])] == []


def test_numbers_with_a_unit_say_which():
    units = r"(_millidegrees|_millidegrees_per_minute|_kilohertz|_percent|_watts|_milliwatts)$"
    for field in contract.fields():
        name = field.proto.name
        measured = re.search(r"temperature|frequency|(^|_)power(_|$)|(^|_)load(_|$)|voltage", name)
        if contract.is_number(field) and measured:
            assert re.search(units, name), field.full_name
        degrees = re.search(r"degree Celsius|°C", field.comment)
        if contract.is_number(field) and degrees:
            assert re.search(r"_millidegrees(_per_minute)?$", name), field.full_name


def test_what_only_the_daemon_understands_is_a_string():
    opaque = r"^(after_)?event_id$|_token$|^etag$|^unique_id$|_id_of$|^instance_id$|^boot_id$"
    for field in contract.fields():
        if re.search(opaque, field.proto.name):
            assert contract.type_of(field) == "TYPE_STRING", field.full_name


def test_exposures_are_called_so():
    for field in contract.fields():
        name, is_duration = field.proto.name, contract.type_of(field) == "google.protobuf.Duration"
        light = "exposure" in name or re.search(r"collect\w* light", field.comment)
        if light and is_duration:
            assert re.fullmatch(r"((min|max)_)?exposure_duration", name), field.full_name
        if "exposure" in name and contract.is_number(field):
            assert re.fullmatch(r"((min|max)_)?exposure_bias", name), field.full_name


def test_pixel_formats_are_four_character_codes():
    for field in contract.fields():
        if re.search(r"pixel_formats?$", field.proto.name):
            assert contract.type_of(field) == "TYPE_STRING", field.full_name
        if re.search(r"four-character code", field.comment) and contract.type_of(field) == "TYPE_STRING":
            assert re.search(r"pixel_formats?$", field.proto.name), field.full_name


def test_rates_are_fractions_and_called_frame_rates():
    for field in contract.fields():
        kind, name = contract.type_of(field), field.proto.name
        if "frame_rate" in name:
            assert kind in (f"{V1}.Rational", f"{V1}.FrameRateRange"), field.full_name
        elif kind == f"{V1}.Rational":
            assert field.parent == f"{V1}.FrameRateRange", field.full_name


@pytest.mark.parametrize("method", [method.full_name for method in contract.methods() if "List" in method.proto.name])
def test_lists_are_paged_alike(method):
    package, name = method.rsplit(".", 2)[0], method.rsplit(".", 1)[1]
    sent = {field.proto.name: contract.type_of(field) for field in contract.fields(f"{package}.{name}Request")}
    told = {field.proto.name: contract.type_of(field) for field in contract.fields(f"{package}.{name}Response")}
    assert (sent["page_size"], sent["page_token"]) == ("TYPE_INT32", "TYPE_STRING")
    assert told["next_page_token"] == "TYPE_STRING"


@pytest.mark.parametrize(
    "method",
    [
        m.full_name
        for m in contract.methods(V1)
        if re.match(r"Watch(?!Readiness|VideoStorage|AudioLevels|Writer)", m.proto.name)
    ],
)
def test_every_stream_of_events_can_be_resumed(method):
    name = method.rsplit(".", 1)[1]
    assert "after_event_id" in {field.proto.name for field in contract.fields(f"{V1}.{name}Request")}
    answer = contract.reachable(f"{V1}.{name}Response")
    assert any(field.proto.name == "event_id" and field.parent in answer for field in contract.fields(V1))
