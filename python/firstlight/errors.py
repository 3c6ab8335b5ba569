"""What the daemon refuses, as one exception with the reason as data."""

from __future__ import annotations

from typing import NamedTuple

import grpc
from google.rpc import error_details_pb2, status_pb2

_STATUS_DETAILS_KEY = "grpc-status-details-bin"
_CODES = {code.value[0]: code for code in grpc.StatusCode}


class FieldViolation(NamedTuple):
    """One bad field of a request."""

    #: Path of the field, for example `configuration.inputs[0].device`.
    field: str
    #: What is wrong with it.
    description: str


class FirstlightError(Exception):
    """A call failed, or a capture did.

    `reason` is stable and meant for code, `message` is for people. Where the failure is not the daemon's own, for
    example because nobody listens at the address, `reason` is empty.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        *,
        reason: str = "",
        metadata: dict[str, str] | None = None,
        violations: tuple[FieldViolation, ...] = (),
    ) -> None:
        """Makes an error from its parts."""
        super().__init__(f"{code.name}{f' {reason}' if reason else ''}: {message}")
        #: The canonical gRPC code.
        self.code = code
        #: What happened, for people.
        self.message = message
        #: Why, for code: `ErrorInfo.reason`, for example `DEVICE_IN_USE`.
        self.reason = reason
        #: Every value the message names: `ErrorInfo.metadata`.
        self.metadata = metadata or {}
        #: The bad fields of the request: `BadRequest.field_violations`.
        self.violations = violations

    @classmethod
    def from_status(cls, status: status_pb2.Status) -> FirstlightError:
        """Makes an error of a `google.rpc.Status` inside a message."""
        info = error_details_pb2.ErrorInfo()
        bad_request = error_details_pb2.BadRequest()
        for detail in status.details:
            # Unpack leaves the target alone when the detail is of another type.
            _ = detail.Unpack(info) or detail.Unpack(bad_request)
        return cls(
            _CODES.get(status.code, grpc.StatusCode.UNKNOWN),
            status.message,
            reason=info.reason,
            metadata=dict(info.metadata),
            violations=tuple(FieldViolation(v.field, v.description) for v in bad_request.field_violations),
        )

    @classmethod
    def from_rpc_error(cls, error: grpc.RpcError) -> FirstlightError:
        """Makes an error of a failed call, with the details of its trailing metadata if it has any."""
        for key, value in error.trailing_metadata() or ():
            if key == _STATUS_DETAILS_KEY:
                return cls.from_status(status_pb2.Status.FromString(value))
        return cls(error.code() or grpc.StatusCode.UNKNOWN, error.details() or "")
