/** One controller makes what another one cleans up after a deletion: what is made late is never looked at again. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import type { InProcessOperator } from '../../../../src/testing/operator-search/run/operator-life.ts'
import { DATABASES, ensure, live, remove, standIn } from '../stand-in.ts'

const maker = standIn([CONFIG_MAPS], async ({ database: { metadata }, client }) => {
  const { namespace = '', name = '', uid = '' } = metadata
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-data`, labels: { of: name, uid } } }
  await ensure(client, { ...CONFIG_MAPS, namespace, name: `${name}-data` }, map)
})

/** The mistake: it looks only when a database changes. */
const cleaner = (mended: boolean) =>
  standIn(
    mended ? [CONFIG_MAPS] : [],
    async () => {},
    async ({ client }) => {
      for (const { metadata } of (await client.list(CONFIG_MAPS, { labelSelector: 'of' })).items) {
        const { namespace = '', name = '', uid = '', labels = {} } = metadata
        const of = await live(client, { ...DATABASES, namespace, name: labels.of ?? '' })
        if (of?.metadata.uid !== labels.uid) await remove(client, { ...CONFIG_MAPS, namespace, name }, { uid })
      }
    },
  )

export const sweptOnce =
  (mended: boolean): InProcessOperator =>
  async (life) => {
    await Promise.all([maker(life), cleaner(mended)(life)])
  }
