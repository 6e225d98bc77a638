/** A crash is recovered from once: the mark of unfinished work is removed before the work is done. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import { DATABASES, ensure, live, ownedBy, remove, standIn } from '../stand-in.ts'

export const crashInRecovery = (mended: boolean) =>
  standIn([], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = (part: string) => ({ ...CONFIG_MAPS, namespace, name: `${name}-${part}` })
    const make = (part: string) => {
      const metadata = { name: `${name}-${part}`, ownerReferences: ownedBy(database) }
      return ensure(client, own(part), { apiVersion: 'v1', kind: 'ConfigMap', metadata })
    }
    const begun = (await live(client, own('begun'))) !== undefined
    if (database.status?.phase === 'Ready' && !begun) return
    // The mistake: a crash after this looks like work that is done.
    if (begun && !mended) await remove(client, own('begun'))
    else await make('begun')
    const phase = (value: string) =>
      client.patch({ ...DATABASES, namespace, name, subresource: 'status' }, 'merge', { status: { phase: value } })
    if (database.status?.phase !== 'Ready') await phase('Ready')
    await make('data')
    await remove(client, own('begun'))
  })
