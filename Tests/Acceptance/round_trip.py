"""Sends back every configuration that a test reads. The daemon must accept it, and it must mean the same."""

from __future__ import annotations

import grpc

from firstlight.v1 import session_pb2, session_service_pb2 as sessions_pb2, session_service_pb2_grpc as session_grpc

FORMS = ("configuration", "resolved_configuration")


class RoundTrip(grpc.UnaryUnaryClientInterceptor):
    """Checks, after each commit that succeeded, both forms of the configuration that the answer has.

    The check uses `validate_only`, so that nothing changes. Calls that a test does not wait for are not checked.
    """

    def __init__(self, channel: grpc.Channel) -> None:
        self._stub = session_grpc.SessionServiceStub(channel)

    def intercept_unary_unary(self, continuation, client_call_details, request):
        """Makes the call, then checks the session that the answer has."""
        call = continuation(client_call_details, request)
        if self._is_commit(request) and call.done() and call.exception() is None:
            self.check(call.result().session)
        return call

    @staticmethod
    def _is_commit(request: object) -> bool:
        if isinstance(request, sessions_pb2.ConfigureSessionRequest):
            return not request.validate_only
        return isinstance(request, sessions_pb2.CreateSessionRequest) and request.HasField("configuration")

    def check(self, session: session_pb2.Session) -> None:
        """Fails unless the daemon accepts both forms and gives them their former meaning.

        Ends without a verdict when the test has changed the session since.
        """
        for form in FORMS:
            wanted = getattr(session, form)
            request = sessions_pb2.ConfigureSessionRequest(name=session.name, configuration=wanted, validate_only=True)
            try:
                answer = self._stub.ConfigureSession(request, timeout=8)
                now = self._stub.GetSession(sessions_pb2.GetSessionRequest(name=session.name), timeout=8).session
            except grpc.RpcError as error:
                # The session was deleted meanwhile, or the daemon stops.
                if error.code() in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNAVAILABLE):
                    return
                raise AssertionError(f"{form} of {session.name} is refused: {error.details()}\n{wanted}") from error
            same = now.resolved_configuration == session.resolved_configuration
            if now.config_revision != session.config_revision or not same:
                return
            issues = [(issue.field, issue.reason, issue.description) for issue in answer.issues]
            assert issues == [], f"{form} of {session.name} is not accepted\n{wanted}"
            for field in ("resolved_configuration", "output_capabilities"):
                before, after = getattr(session, field), getattr(answer.session, field)
                assert after == before, f"{form} of {session.name} has another {field}:\n{after}\nin place of\n{before}"
            if form == "configuration":
                assert answer.session.configuration == wanted
                assert answer.session.etag == session.etag, "the same configuration has another etag"
