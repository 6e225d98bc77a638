import type { Clock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import { noReports } from '../../server/reports/part-reports.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import type { Store } from '../../storage/store.ts'
import { openCertificates } from '../certificates.ts'
import { completeConfig } from '../config.ts'
import { serverOptionsOf } from './server-options.ts'
import { openServerPart } from './server-part.ts'

const ADMIN: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }

/** The API server alone in this process, over a store in memory, and an administrator's client. `options`: those that differ. */
export async function serverPartDouble<C extends Clock>(
  clock: C,
  store: Store = openMemoryStore({}, { clock }),
  options: Partial<ServerOptions> = {},
) {
  const config = completeConfig({ parts: ['server'], ephemeral: true, port: 0 })
  const { parts, serviceCidr } = config
  const certificates = openCertificates({ folder: undefined, serviceCidr }, { clock })
  const part = await openServerPart(
    { ...serverOptionsOf(config, certificates), ...options },
    {
      parts,
      opening: Promise.resolve(store),
      clock,
      random: seededRandom(1),
      log: silentLogger,
      freeze: true,
      connectors: {},
      reports: noReports(),
    },
  )
  const transport = part.server.transport(ADMIN)
  return {
    part,
    store,
    clock,
    serviceCidr,
    certificates,
    transport,
    client: createClient(transport),
    [Symbol.asyncDispose]: () => part[Symbol.asyncDispose](),
  }
}
