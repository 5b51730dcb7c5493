FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go build -trimpath -ldflags '-s -w' -o /pggate ./cmd/pggate

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libstdc++6 && rm -rf /var/lib/apt/lists/* && useradd --system pggate
USER pggate
COPY --from=build /pggate /usr/local/bin/pggate
ENTRYPOINT ["/usr/local/bin/pggate"]
