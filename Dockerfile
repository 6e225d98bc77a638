# A cluster in a container: docker build -t bowsprit . && docker run --rm -p 127.0.0.1:6443:6443 -v "$PWD/out:/home/node/out" bowsprit
FROM node:24-slim AS build
WORKDIR /src
COPY . .
RUN npm ci && npm pack --pack-destination /tmp

FROM node:24-slim
COPY --from=build /tmp/bowsprit-*.tgz /tmp/
RUN npm install --global /tmp/bowsprit-*.tgz && rm /tmp/bowsprit-*.tgz
USER node
WORKDIR /home/node
# Published ports are reached by these names, beside localhost; other containers use a name of theirs: --certificate-names NAME.
EXPOSE 6443
ENTRYPOINT ["bowsprit"]
CMD ["up", "--ephemeral", "--address", "0.0.0.0", "--certificate-names", "host.docker.internal,docker,172.17.0.1", "--kubeconfig", "/home/node/out/kubeconfig"]
