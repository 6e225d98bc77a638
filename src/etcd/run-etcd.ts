import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import { HeldResources } from '../base/collections/held-resources.ts'
import { codeOf } from '../base/has-code.ts'
import { messageOf } from '../base/message-of.ts'
import type { Random } from '../base/random.ts'
import { LOG_NAME, openFileStore } from '../storage/file/file-store.ts'
import { serveStore } from '../storage/remote/serve-store.ts'
import { openStoreKey } from '../storage/remote/store-key.ts'
import { type EtcdFlags, isOn } from './flags.ts'
import type { GrpcPart } from './grpc/open-grpc.ts'
import type { EtcdLog } from './log.ts'
import { ETCD_VERSION, plainPage } from './pages.ts'
import { holdPort, openPort, type PortDeps } from './port.ts'

export interface EtcdDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: EtcdLog
  /** The snapshot of a cluster with which a new data folder begins; undefined: with nothing. */
  readonly from?: string | undefined
}

/** Why etcd does not start, and in which phase of etcd's own start the error is reported. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError'
  readonly code: 'bad-option' | 'no-port' | 'no-store'
  constructor(code: EtcdError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** An etcd of one member. Disposing of it closes its ports and its files; what was acknowledged stays in the data folder. */
export interface RunningEtcd extends AsyncDisposable {
  readonly clientPorts: readonly number[]
}

/** Opens the store of the data folder and the ports; resolves when clients are served. */
export async function runEtcd(flags: EtcdFlags, { clock, random, log, from }: EtcdDeps): Promise<RunningEtcd> {
  await using held = new HeldResources()
  const dataDir = flags['data-dir'] === '' ? `${flags.name}.etcd` : flags['data-dir']
  log('info', 'etcdmain/etcd.go:124', 'Initialize and start etcd server', { 'data-dir': dataDir })
  for (const url of urlsOf(flags, 'listen-peer-urls')) held.use(await opened(url, () => holdPort(url)))
  const folder = path.join(dataDir, 'member')
  const file = path.join(folder, LOG_NAME)
  if (from !== undefined && !existsSync(file)) await fillStore(file, from, random.uuid())
  const store = held.use(openStore(folder))
  log('info', 'embed/etcd.go:323', 'starting an etcd server', { 'etcd-version': ETCD_VERSION, name: flags.name, 'data-dir': dataDir })
  log('info', 'mvcc/kvstore.go:408', 'kvstore restored', { 'current-rev': store.revision })
  let part: Promise<GrpcPart> | undefined
  const ports: number[] = []
  /** Loaded with the first gRPC client. */
  const grpc = async (socket: Duplex) => {
    part ??= import('./grpc/open-grpc.ts').then(({ openGrpc }) =>
      openGrpc({
        store,
        clock,
        random,
        member: {
          name: flags.name,
          clientUrls: flags['advertise-client-urls'].split(','),
          peerUrls: flags['initial-advertise-peer-urls'].split(','),
        },
        file,
        maxTxnOps: Number(flags['max-txn-ops']),
      }),
    )
    const { connect } = await part
    connect(socket)
  }
  held.defer(async () => (await part)?.[Symbol.asyncDispose]())
  const deps: PortDeps = {
    store: (peer) => void serveStore(store, peer),
    key: keyOf(folder),
    random,
    grpc: (socket) => void grpc(socket).catch(() => socket.destroy()),
    page: ({ url = '/' }) => plainPage(url),
  }
  for (const url of urlsOf(flags, 'listen-client-urls')) {
    const port = held.use(await opened(url, () => openPort(url, { ...deps, ...(url.secure && secured(flags, deps)) })))
    ports.push(port.address.port)
    log('info', 'embed/serve.go:138', 'ready to serve client requests')
    const facts = { traffic: 'grpc+http', address: `${port.address.host}:${port.address.port}` }
    if (url.secure) log('info', 'embed/serve.go:283', 'serving client traffic securely', facts)
    else log('info', 'embed/serve.go:220', 'serving client traffic insecurely; this is strongly discouraged!', facts)
  }
  const all = held.move()
  return { clientPorts: ports, [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() }

  function openStore(folder: string) {
    // As in etcd, 0 is the default.
    const quotaBytes = Number(flags['quota-backend-bytes']) || undefined
    return asEtcdError(() => openFileStore({ folder, sync: !isOn(flags['unsafe-no-fsync']), quotaBytes }, { clock, random }))
  }

  function keyOf(folder: string) {
    return asEtcdError(() => openStoreKey(folder, random))
  }
}

function asEtcdError<T>(open: () => T): T {
  try {
    return open()
  } catch (error) {
    throw new EtcdError('no-store', messageOf(error), { cause: error })
  }
}

/** If clients must have a certificate, it authenticates them. */
function secured(flags: EtcdFlags, { key }: PortDeps): Pick<PortDeps, 'tls' | 'key'> {
  const tls = tlsOf(flags)
  return { tls, key: tls.ca === undefined ? key : undefined }
}

/** What a snapshot holds; its code is read where there is one. */
async function fillStore(file: string, from: string, id: string): Promise<void> {
  const [{ readSnapshot }, { fillFile }] = await Promise.all([
    import('../storage/snapshot/snapshot-file.ts'),
    import('../storage/snapshot/fill-file.ts'),
  ])
  try {
    const { keyspace } = await readSnapshot(from)
    fillFile(file, { id, keyspace })
  } catch (error) {
    throw new EtcdError('no-store', `BOWSPRIT_FROM: ${messageOf(error)}`, { cause: error })
  }
}

interface ListenUrl {
  readonly secure: boolean
  readonly host: string
  readonly port: number
}

function urlsOf(flags: EtcdFlags, name: 'listen-client-urls' | 'listen-peer-urls'): ListenUrl[] {
  return flags[name].split(',').map((text) => {
    const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
    if (url === undefined || !/^https?:$/.test(url.protocol))
      throw new EtcdError(
        'bad-option',
        `error setting up initial cluster: --${name}: ${JSON.stringify(text)} is not a URL of scheme http or https`,
      )
    const defaultPort = url.protocol === 'https:' ? 443 : 80
    return {
      secure: url.protocol === 'https:',
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? defaultPort : Number(url.port),
    }
  })
}

async function opened<T>({ host, port }: ListenUrl, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const code = codeOf(error)
    const why = code === 'EADDRINUSE' ? 'bind: address already in use' : code === 'EACCES' ? 'bind: permission denied' : String(error)
    throw new EtcdError('no-port', `listen tcp ${host}:${port}: ${why}`, { cause: error })
  }
}

function tlsOf(flags: EtcdFlags): NonNullable<PortDeps['tls']> {
  const read = (name: 'cert-file' | 'key-file' | 'trusted-ca-file') => {
    try {
      return readFileSync(flags[name], 'utf8')
    } catch (error) {
      throw new EtcdError('bad-option', `--${name}: ${messageOf(error)}`, { cause: error })
    }
  }
  if (flags['cert-file'] === '' || flags['key-file'] === '')
    throw new EtcdError('bad-option', 'TLS key/cert (--cert-file, --key-file) must be provided for client urls with HTTPS scheme')
  return { cert: read('cert-file'), key: read('key-file'), ca: isOn(flags['client-cert-auth']) ? read('trusted-ca-file') : undefined }
}
