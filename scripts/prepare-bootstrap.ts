/** What a first start leaves in the store, for `npm run build` to lay beside the bundle. */

import { builtinPrefix } from '../src/apiserver/cache/storage-keys.ts'
import { systemClock } from '../src/base/clock.ts'
import { silentLogger } from '../src/base/logger.ts'
import { systemRandom } from '../src/base/random.ts'
import { openCertificates } from '../src/cluster/certificates.ts'
import { completeConfig } from '../src/cluster/config.ts'
import { serverOptionsOf } from '../src/cluster/server/server-options.ts'
import { openServerPart } from '../src/cluster/server/server-part.ts'
import type { KubeObject } from '../src/machinery/object.ts'
import { readPath } from '../src/machinery/resource/definition.ts'
import { bootstrapObjects } from '../src/server/bootstrap/bootstrap-objects.ts'
import { type PreparedObjects, withHoles } from '../src/server/bootstrap/prepared-objects.ts'
import { noReports } from '../src/server/reports/part-reports.ts'
import { openMemoryStore } from '../src/storage/memory/memory-store.ts'

/** No object has this number in it but for the port. */
const PORT = 64_431

/** Starts an API server with default options on an empty store, and takes what it made. */
export async function prepareBootstrap(): Promise<PreparedObjects> {
  // All of it within one second: what is written twice is so only if the time has changed between.
  const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 1) }
  const config = completeConfig({ parts: ['server'], ephemeral: true, port: PORT })
  const { serviceCidr } = config
  const certificates = openCertificates({ folder: undefined, serviceCidr }, { clock })
  const store = openMemoryStore({}, { clock })
  await using _part = await openServerPart(serverOptionsOf(config, certificates), {
    parts: config.parts,
    opening: Promise.resolve(store),
    clock,
    random: systemRandom(),
    log: silentLogger,
    freeze: false,
    connectors: {},
    reports: noReports(),
  })
  const wanted = bootstrapObjects({ roles: true, gatedKinds: [], serviceCidr, port: PORT }, '').flat()
  const kept = new Map(
    wanted.map(({ group, resource, object, keep }) => [
      builtinPrefix(group, resource) + nameOf(object),
      // The rules of an aggregate are a controller's.
      keep !== 'none' && readPath(object, ['aggregationRule']) === undefined,
    ]),
  )
  const { entries } = await store.range('')
  const made = entries.filter(({ key }) => kept.has(key)).sort((a, b) => a.revision - b.revision)
  return withHoles(
    made.map(({ key, value }) => ({ key, value: Buffer.from(value).toString(), kept: kept.get(key) === true })),
    { port: PORT, serviceCidr },
  )
}

const nameOf = ({ metadata: { namespace, name } }: KubeObject) => (namespace === undefined ? `${name}` : `${namespace}/${name}`)
