/** yugabyte #36: a restart on the view in which the port of the page was unset deletes the service that is there again. */
import { SERVICES } from '../../../../src/resources/refs.ts'
import type { Service } from '../../../../src/resources/types/core.ts'
import { DATABASES, type Database, live, ownedBy, remove, standIn } from '../stand-in.ts'

const portOf = (database: Readonly<Database> | undefined) => Number((database?.spec?.page as { readonly port?: number })?.port ?? 0)

export const stalePort = (mended: boolean) =>
  standIn([SERVICES], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...SERVICES, namespace, name: `${name}-page` }
    const port = portOf(database)
    if (port > 0) {
      const service: Service = {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: own.name, ownerReferences: ownedBy(database) },
        spec: { selector: { app: name }, ports: [{ name: 'page', port }] },
      }
      return void (await client.patch(own, 'apply', service, { fieldManager: 'databases', force: true }))
    }
    // The mistake: what is to be deleted is decided by a copy that may be old.
    const now = mended ? ((await live(client, { ...DATABASES, namespace, name })) as Readonly<Database> | undefined) : database
    if (portOf(now) === 0) await remove(client, own)
  })
