/** mongodb mgopone-1245: a pod template that the API server refuses is taken back, and the operator stays failed. */
import { STATEFUL_SETS } from '../../../../src/resources/refs.ts'
import type { StatefulSet } from '../../../../src/resources/types/apps.ts'
import type { PodTemplateSpec } from '../../../../src/resources/types/core.ts'
import { DATABASES, members, standIn } from '../stand-in.ts'

export const failedForEver = (mended: boolean) =>
  standIn([STATEFUL_SETS], async ({ database, client }) => {
    const { namespace = '', name = '', generation } = database.metadata
    const status = async (phase: string) => {
      const own = { ...DATABASES, namespace, name, subresource: 'status' }
      if (database.status?.phase !== phase || database.status.triedGeneration !== generation)
        await client.patch(own, 'merge', { status: { phase, triedGeneration: generation } })
    }
    // The mistake: it waits for members that cannot come, whatever the user changes. Mended, it tries each input once.
    if (database.status?.phase === 'Failed' && (!mended || database.status.triedGeneration === generation)) return
    const set = members(database)
    const template = database.spec?.podTemplate as PodTemplateSpec | undefined
    const spec = { ...set.spec, template: { ...set.spec?.template, spec: { ...set.spec?.template.spec, ...template?.spec } } }
    try {
      const own = { ...STATEFUL_SETS, namespace, name }
      await client.patch(own, 'apply', { ...set, spec } as StatefulSet, { fieldManager: 'databases', force: true })
      await status('Running')
    } catch {
      await status('Failed')
    }
  })
