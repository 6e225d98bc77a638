import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { goPrograms } from '../../../test/go-program.ts'
import { busyboxLayer, layerOf, makeImages, type TestImage } from '../../../test/real-nodes/make-images.ts'
import { CONFORMANCE_CACHE, goProgram, sourceFolder } from '../go-module.ts'
import { debianLayer } from './debian-layer.ts'

const KUBERNETES = 'k8s.io/kubernetes/test/images'
/** So large an archive is made only once. */
const ARCHIVE = path.join(CONFORMANCE_CACHE, 'images.tar')

/**
 * The archive of the images that the suite runs, under its names, made on this machine: programs of Kubernetes are built by Go, all others
 * are Debian's. No registry is asked.
 */
export async function suiteImages(): Promise<string> {
  if (!existsSync(ARCHIVE)) writeFileSync(ARCHIVE, await makeImages(await imagesOfSuite()))
  return ARCHIVE
}

async function imagesOfSuite(): Promise<readonly TestImage[]> {
  const busybox = await busyboxLayer()
  const debian = debianLayer()
  const agnhost = await agnhostLayer()
  const shell = await layerOf({
    'bin/sh': built('sh', './sh'),
    'bin/bash': { body: readFileSync(path.join(CONFORMANCE_CACHE, 'debian', 'bin', 'bash-static')), mode: 0o755 },
  })
  const aggregated = await sampleApiServer()
  // Programs that are built here need the C library of this system.
  const tools = [busybox, debian]
  const serves = { Entrypoint: ['/agnhost'], Cmd: ['pause'] }
  const nginx = { layers: [...tools, await nginxLayer()], config: { Cmd: ['/usr/sbin/nginx'] } }
  const picture = async (name: string) =>
    layerOf({ 'data.json': { body: `{\n"image": "${name}.jpg"\n}\n` }, [`${name}.jpg`]: { body: name } })
  return [
    {
      names: ['3.10.2', '3.10.1', '3.10'].map((tag) => `registry.k8s.io/pause:${tag}`),
      layers: [await layerOf({ pause: built('pause', './pause') })],
      config: { Entrypoint: ['/pause'], User: '65535:65535' },
    },
    { names: [...ofSuite('agnhost:2.63.0'), ...ofSuite('agnhost:2.55')], layers: [...tools, agnhost], config: serves },
    { names: ofSuite('kitten:1.8'), layers: [...tools, agnhost, await picture('kitten')], config: { ...serves, Cmd: ['test-webserver'] } },
    {
      names: ofSuite('nautilus:1.8'),
      layers: [...tools, agnhost, await picture('nautilus')],
      config: { ...serves, Cmd: ['test-webserver'] },
    },
    {
      names: [...ofSuite('busybox:1.37.0-1'), ...ofSuite('busybox:1.36.1-1'), 'docker.io/library/busybox:latest'],
      layers: [busybox, shell],
      config: { Cmd: ['sh'] },
    },
    { names: ofSuite('nonroot:1.5'), layers: [busybox, shell], config: { Cmd: ['sh'], User: '1234' } },
    {
      names: ofSuite('nonewprivs:1.4'),
      layers: [busybox, await layerOf({ 'usr/local/bin/nnp': { ...built('nnp', `${KUBERNETES}/nonewprivs`), mode: 0o6755 } })],
      config: { Cmd: ['nnp'] },
    },
    { names: ofSuite('nginx:1.15-4'), ...nginx },
    { names: ofSuite('nginx:1.27-0'), ...nginx },
    { names: ofSuite('perl:5.26'), layers: tools, config: { Cmd: ['perl'] } },
    { names: ofSuite('ipc-utils:1.4'), layers: tools, config: { Cmd: ['sh'] } },
    { names: ofSuite('glibc-dns-testing:2.0.0'), layers: tools, config: { Cmd: ['bash'] } },
    { names: ['registry.k8s.io/etcd:3.6.8-0'], layers: [...tools, await layerOf({ 'usr/local/bin/etcd': aggregated.etcd })], config: {} },
    {
      names: ofSuite('sample-apiserver:1.29.2'),
      layers: [...tools, await layerOf({ 'kube-sample-apiserver': aggregated.server })],
      config: { Entrypoint: ['/kube-sample-apiserver'] },
    },
    { names: ['registry.k8s.io/build-image/distroless-iptables:v0.9.6'], layers: tools, config: { Cmd: ['sh'] } },
  ]
}

const ofSuite = (name: string): readonly string[] => [`registry.k8s.io/e2e-test-images/${name}`]

const program = (file: string) => ({ body: readFileSync(file), mode: 0o755 })
const built = (name: string, source: string) => program(goProgram(name, source))

/** An aggregated API server, and the etcd that it needs: those of the tests. */
async function sampleApiServer() {
  const { bin, why } = await goPrograms('sample-apiserver')
  if (why !== undefined) throw new Error(why)
  return { server: program(path.join(bin, 'sample-apiserver')), etcd: program(path.join(bin, 'etcd')) }
}

async function agnhostLayer(): Promise<Buffer> {
  const certificates = path.join(sourceFolder(`${KUBERNETES}/agnhost`), 'porter')
  const pairs = ['localhost.crt', 'localhost.key'].map((name) => [name, { body: readFileSync(path.join(certificates, name)) }])
  return layerOf({
    agnhost: built('agnhost', `${KUBERNETES}/agnhost`),
    'agnhost-2': { link: 'agnhost' },
    ...Object.fromEntries(pairs),
  })
}

/** In the foreground, on port 80. */
const NGINX = `daemon off;
user root;
error_log /dev/stderr;
pid /run/nginx.pid;
events {}
http {
  access_log /dev/stdout;
  server { listen 80; root /usr/share/nginx/html; }
}
`

const nginxLayer = () =>
  layerOf({
    'etc/nginx/nginx.conf': { body: NGINX },
    'usr/share/nginx/html/index.html': { body: '<h1>Welcome to nginx!</h1>\n' },
    'run/': { body: '' },
  })
