import { invalid } from '../../../machinery/field-error.ts'
import { invalidObject, staleWrite } from '../../../machinery/status-error.ts'
import { checkRevision } from '../revision.ts'
import { groupResource } from '../write.ts'
import type { UpdateWork } from './work.ts'

/** An update that names a revision applies to that one only: 409 if another is stored. */
export function matchRevision({ write, rules, draft, old }: UpdateWork): void {
  const given = draft.metadata.resourceVersion ?? ''
  if (given !== '' && given === old.metadata.resourceVersion) return
  if (given === '' || given === '0') {
    if (rules.allowUnconditionalUpdate !== false) {
      draft.metadata.resourceVersion = old.metadata.resourceVersion ?? ''
      return
    }
    const { group, resource } = groupResource(write)
    throw invalidObject({ group, kind: resource }, write.place.name, [
      invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
    ])
  }
  checkRevision(given)
  throw staleWrite(groupResource(write), write.place.name)
}
