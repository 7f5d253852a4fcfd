"""Starts MiniStack with the patches of this folder, on 127.0.0.1 only: start.py PORT"""

import os
import sys

os.environ.update(
    GATEWAY_PORT=sys.argv[1],
    BIND_HOST="127.0.0.1",
    AWS_DEFAULT_REGION="eu-central-1",
    MINISTACK_REGION="eu-central-1",
    AWS_ACCESS_KEY_ID="test",
    AWS_SECRET_ACCESS_KEY="test",
    # Functions are processes of this machine, not containers.
    LAMBDA_EXECUTOR="local",
    # Without this it also listens on 0.0.0.0:8883.
    IOT_MTLS_ENABLED="0",
    LOG_LEVEL=os.environ.get("LOG_LEVEL", "WARNING"),
)
del sys.argv[1:]
# The patches import MiniStack, which reads the environment.
import patches
from ministack.app import main

assert patches
main()
