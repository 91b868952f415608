# One image; docker-compose.yml says which part of the playground a container runs.
#
# PYTHON_IMAGE may name it by its digest; tools/digests.py finds that out.
ARG PYTHON_IMAGE=python:3.12-slim

# Packages are installed in a stage of their own: the image that runs has neither pip's cache nor a build's leftovers.
FROM ${PYTHON_IMAGE} AS packages

ENV PYTHONDONTWRITEBYTECODE=1
RUN python -m venv /venv
COPY requirements.txt .
RUN /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --requirement requirements.txt \
    && /venv/bin/pip uninstall --yes pip

FROM ${PYTHON_IMAGE}

ENV PATH=/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=playground.settings DATA_DIR=/data
WORKDIR /app

RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin playground \
    && install -d -o playground -g playground /data
COPY --from=packages /venv /venv
# All of it belongs to root: the playground cannot change its own code, nor the static files that it serves from here.
COPY manage.py ./
COPY kube_objects kube_objects
COPY kube_apiserver kube_apiserver
COPY scheduler_core scheduler_core
COPY kube_controllers kube_controllers
COPY simulator simulator
COPY playground playground
COPY examples examples
COPY lessons lessons
COPY templates templates
COPY static static
COPY locale locale
COPY docs docs

# By number, so that Kubernetes can tell that it is not root.
USER 10001
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
CMD ["uvicorn", "playground.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--lifespan", "off", "--ws-per-message-deflate", "false", "--ws-max-size", "65536", "--timeout-keep-alive", "240", "--no-proxy-headers"]
