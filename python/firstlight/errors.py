"""FirstlightError, the one exception for failed calls and captures, with the reason as data."""

from __future__ import annotations

from typing import NamedTuple

import grpc
from google.rpc import error_details_pb2, status_pb2

_STATUS_DETAILS_KEY = "grpc-status-details-bin"
_CODES = {code.value[0]: code for code in grpc.StatusCode}


class FieldViolation(NamedTuple):
    """A field of a request that the daemon refused."""

    #: The path of the field, for example `configuration.inputs[0].device`.
    field: str
    #: What is wrong with the field, for people.
    description: str


class FirstlightError(Exception):
    """A call or a capture failed.

    Decide by `reason`, which is stable; `message` is for people. `reason` is empty when the error does not come from
    the daemon, for example because no daemon listens at the address.
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
        #: What failed and why, for people.
        self.message = message
        #: The reason as `ErrorInfo.reason` has it, for example `DEVICE_IN_USE`. Empty for an error that does not come
        #: from the daemon.
        self.reason = reason
        #: Every value that the message names, as `ErrorInfo.metadata` has them. Empty when there are none.
        self.metadata = metadata or {}
        #: The fields that the daemon refused, as `BadRequest.field_violations` has them. Empty when there are none.
        self.violations = violations

    @classmethod
    def from_status(cls, status: status_pb2.Status) -> FirstlightError:
        """Makes an error from a `google.rpc.Status` that a message contains."""
        info = error_details_pb2.ErrorInfo()
        bad_request = error_details_pb2.BadRequest()
        for detail in status.details:
            # Unpack returns False and does not change the target when the detail is of another type.
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
        """Makes an error from a failed call, with the details of the trailing metadata where the call has any."""
        for key, value in error.trailing_metadata() or ():
            if key == _STATUS_DETAILS_KEY:
                return cls.from_status(status_pb2.Status.FromString(value))
        return cls(error.code() or grpc.StatusCode.UNKNOWN, error.details() or "")
