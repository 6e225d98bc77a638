/** mongodb K8SPSMDB-578: a crash after the first of two secrets, and the second is never made. */
import { SECRETS } from '../../../../src/resources/refs.ts'
import { ensure, live, ownedBy, standIn } from '../stand-in.ts'

export const crashBetweenSecrets = (mended: boolean) =>
  standIn([SECRETS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const [first, second] = [`${name}-ssl`, `${name}-ssl-internal`]
    const target = (own: string) => ({ ...SECRETS, namespace, name: own })
    const secret = (own: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: own, ownerReferences: ownedBy(database) } })
    // The mistake: the first secret is taken for a sign that both are there.
    if (!mended && (await live(client, target(first))) !== undefined) return
    for (const own of [first, second]) await ensure(client, target(own), secret(own))
  })
