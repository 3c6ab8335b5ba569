import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from firstlight import FieldViolation, FirstlightError


class FakeRpcError(grpc.RpcError):
    """The error of a failed call, as grpcio raises it."""

    def __init__(self, code, details, trailing=()):
        self._code, self._details, self._trailing = code, details, trailing

    def code(self):
        return self._code

    def details(self):
        return self._details

    def trailing_metadata(self):
        return self._trailing


def packed(message):
    result = any_pb2.Any()
    result.Pack(message)
    return result


STATUS = status_pb2.Status(
    code=grpc.StatusCode.INVALID_ARGUMENT.value[0],
    message="no such size",
    details=[
        packed(error_details_pb2.RetryInfo()),
        packed(error_details_pb2.ErrorInfo(reason="BAD_SIZE", domain="firstlight", metadata={"width": "7"})),
        packed(
            error_details_pb2.BadRequest(
                field_violations=[error_details_pb2.BadRequest.FieldViolation(field="max_size", description="odd")]
            )
        ),
    ],
)


def test_details_become_attributes():
    error = FirstlightError.from_rpc_error(
        FakeRpcError(
            grpc.StatusCode.INVALID_ARGUMENT,
            "no such size",
            (("other", "x"), ("grpc-status-details-bin", STATUS.SerializeToString())),
        )
    )
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert (error.reason, error.metadata, error.message) == ("BAD_SIZE", {"width": "7"}, "no such size")
    assert error.violations == (FieldViolation("max_size", "odd"),)
    assert str(error) == "INVALID_ARGUMENT BAD_SIZE: no such size"


def test_a_failure_without_details_keeps_code_and_message():
    error = FirstlightError.from_rpc_error(FakeRpcError(grpc.StatusCode.UNAVAILABLE, "connection refused", None))
    assert (error.code, error.reason, error.message) == (grpc.StatusCode.UNAVAILABLE, "", "connection refused")
    assert str(error) == "UNAVAILABLE: connection refused"


def test_an_unknown_code_is_unknown():
    assert FirstlightError.from_status(status_pb2.Status(code=99)).code is grpc.StatusCode.UNKNOWN
