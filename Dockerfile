# A cluster in a container: docker build -t bowsprit . && docker run --rm --network host -v "$PWD:/home/node/out" bowsprit
FROM node:24-slim AS build
WORKDIR /src
COPY . .
RUN npm ci && npm pack --pack-destination /tmp

FROM node:24-slim
COPY --from=build /tmp/bowsprit-*.tgz /tmp/
RUN npm install --global /tmp/bowsprit-*.tgz && rm /tmp/bowsprit-*.tgz
USER node
WORKDIR /home/node
# It listens on 127.0.0.1 alone, as everywhere: --network host is how others reach it, and another container by --network container:NAME.
ENTRYPOINT ["bowsprit"]
CMD ["up", "--ephemeral", "--kubeconfig", "/home/node/out/kubeconfig"]
