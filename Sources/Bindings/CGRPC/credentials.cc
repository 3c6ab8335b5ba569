#include "credentials.h"

cgrpc_credentials *cgrpc_credentials_create_insecure(void) {
  try {
    return new cgrpc_credentials{grpc::InsecureServerCredentials()};
  } catch (...) {
    return nullptr;
  }
}

void cgrpc_credentials_destroy(cgrpc_credentials *credentials) {
  delete credentials;
}
