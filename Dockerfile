# One image; docker-compose.yml says which part of the playground a container runs.
FROM python:3.12-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 DJANGO_SETTINGS_MODULE=playground.settings DATA_DIR=/data
WORKDIR /app

COPY requirements.txt .
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes --requirement requirements.txt

COPY manage.py ./
COPY scheduler_core scheduler_core
COPY playground playground
COPY templates templates
COPY static static

RUN useradd --system --uid 10001 --no-create-home playground && install -d -o playground -g playground /data
USER playground
VOLUME /data
EXPOSE 8000
CMD ["uvicorn", "playground.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--lifespan", "off"]
