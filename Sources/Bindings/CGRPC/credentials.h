#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "CGRPC.h"

struct cgrpc_credentials {
  std::shared_ptr<grpc::ServerCredentials> value;
};
