/** redis rdoptwo-283: a service is made of a field without a port, which the API server refuses for ever. */
import { SERVICES } from '../../../../src/resources/refs.ts'
import type { Service } from '../../../../src/resources/types/core.ts'
import { ownedBy, remove, standIn } from '../stand-in.ts'

interface Exporter {
  readonly enabled?: boolean
  readonly port?: number
}

export const portRefused = (mended: boolean) =>
  standIn([SERVICES], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const { enabled, port } = (database.spec?.exporter ?? {}) as Exporter
    const own = { ...SERVICES, namespace, name: `${name}-exporter` }
    if (enabled !== true) return remove(client, own)
    const service: Service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: own.name, ownerReferences: ownedBy(database) },
      // The mistake: the port has no default.
      spec: { selector: { app: name }, ports: [{ name: 'metrics', port: port ?? (mended ? 9121 : 0) }] },
    }
    await client.patch(own, 'apply', service, { fieldManager: 'databases', force: true })
  })
