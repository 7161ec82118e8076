# Two stages: build with clang 19, run as an ordinary user with the shared libraries alone.
FROM debian:bookworm AS build
WORKDIR /src
COPY deploy/install-deps.sh deploy/
RUN deploy/install-deps.sh build
COPY CMakeLists.txt CMakePresets.json ./
COPY analysis analysis
COPY runtime runtime
COPY db db
COPY workers workers
COPY webhooks webhooks
COPY server server
RUN cmake --preset release -DSTEPSCOPE_TESTS=OFF \
    && cmake --build --preset release -j "$(nproc)" \
    && cmake --install build/release --prefix /out --strip

FROM debian:bookworm-slim
COPY deploy/install-deps.sh /tmp/
RUN /tmp/install-deps.sh runtime && rm -rf /tmp/install-deps.sh /var/lib/apt/lists/* /var/cache/apt/*.bin \
    && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin stepscope \
    && install -d -o stepscope -g stepscope -m 700 /data
COPY --from=build /out/bin/stepscope /usr/local/bin/stepscope
COPY deploy/container.toml /etc/stepscope/stepscope.toml
USER stepscope
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["stepscope", "health"]
ENTRYPOINT ["stepscope"]
CMD ["serve", "--config", "/etc/stepscope/stepscope.toml"]
