import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemRandom } from '../../src/base/random.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'
import { completeConfig } from '../../src/cluster/config.ts'
import { openKubernetesEtcd } from '../../src/cluster/server/etcd-store.ts'
import { serverOptionsOf } from '../../src/cluster/server/server-options.ts'
import { openServerPart, type ServerPart } from '../../src/cluster/server/server-part.ts'
import type { UserInfo } from '../../src/machinery/resource/user.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import type { EtcdOptions, EtcdOverride } from '../../src/server/options/storage.ts'
import { noReports } from '../../src/server/reports/part-reports.ts'
import type { Store } from '../../src/storage/store.ts'

const ADMIN: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
const config = completeConfig({ parts: ['server'], ephemeral: true, port: 0, serviceCidr: '10.0.0.0/24' })
const certificates = openCertificates({ folder: undefined, serviceCidr: config.serviceCidr }, { clock: systemClock })

export const etcdAt = (url: URL): EtcdOptions => ({
  servers: [url.href],
  caFile: '',
  certFile: '',
  keyFile: '',
  prefix: '/registry',
  mediaType: 'application/vnd.kubernetes.protobuf',
  compactionIntervalMs: undefined,
  sizeIntervalMs: undefined,
  healthTimeoutMs: 500,
  leaseReuseS: 60,
})

export const openStoreAt = (url: URL): Promise<Store> =>
  openKubernetesEtcd(etcdAt(url), { clock: systemClock, log: silentLogger, random: systemRandom() })

/** An API server on an etcd, and its administrator's client. */
export interface ServerOnEtcd extends AsyncDisposable {
  readonly part: ServerPart
  readonly client: Client
}

export async function startServerAt(url: URL, etcdOverrides: readonly EtcdOverride[] = []): Promise<ServerOnEtcd> {
  const options = serverOptionsOf(config, certificates)
  const part = await openServerPart(
    { ...options, storage: { ...options.storage, etcd: etcdAt(url), etcdOverrides } },
    {
      parts: config.parts,
      opening: openStoreAt(url),
      clock: systemClock,
      random: systemRandom(),
      log: silentLogger,
      freeze: true,
      connectors: {},
      reports: noReports(),
    },
  )
  return { part, client: createClient(part.server.transport(ADMIN)), [Symbol.asyncDispose]: () => part[Symbol.asyncDispose]() }
}
