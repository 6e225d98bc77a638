import { once } from '../../base/once.ts'
import { textColumn } from '../text-column.ts'
import type { FieldHistory } from './field-history.ts'
import { ageColumn, collectionResource, FLAG, list, META, NUMBER, reportStructs, TEXT } from './report-schema.ts'
import { trailChangeSchema, trailTargetSchema } from './requesttrails.ts'

/** Documentation of fields for `kubectl explain`, by name. */
const ABOUT: Readonly<Record<string, string>> = {
  target: 'The object.',
  changes: 'Its recent changes, the latest first.',
  complete: 'It reaches back to the creation of the object; otherwise earlier changes are forgotten.',
  revision: 'The resourceVersion that was stored.',
  change: 'created, changed, deleted; unknown where the state is no longer kept.',
  requestTrail: 'The request that stored it; absent if the server wrote by itself, or the request is no longer kept.',
  time: 'When the request arrived.',
  user: 'On whose behalf.',
  fieldManager: 'Who owns the fields that it set.',
  fields: 'What differs from the revision before; shown to those who may get the object. Values of Secrets are left out.',
  unlisted: 'Fields that are not listed.',
}

const struct = reportStructs(ABOUT)

/** The types of `field-history.ts`. */
const schema = once(() => {
  const request = { requestTrail: TEXT, time: TEXT, user: TEXT, verb: TEXT, subresource: TEXT, fieldManager: TEXT }
  const revision = { revision: TEXT, change: TEXT, ...request, fields: list(trailChangeSchema()), unlisted: NUMBER }
  const fields = { target: trailTargetSchema(), changes: list(struct('ObjectRevision', revision)), complete: FLAG }
  return struct('FieldHistory', { apiVersion: TEXT, kind: TEXT, metadata: META(), ...fields })
})

/** `fieldhistories.bowsprit.dev`: one for each object that was changed lately. Served where requests are recorded. */
export const fieldHistories = collectionResource(
  { kind: 'FieldHistory', plural: 'fieldhistories', singular: 'fieldhistory' },
  {
    schema,
    report: 'fieldHistories',
    scope: 'Namespaced',
    columns: [
      textColumn<FieldHistory>('Name', 'The resource and the name of the object.', (h) => h.metadata.name ?? ''),
      textColumn<FieldHistory>('Changes', 'How many are kept.', (h) => String(h.changes.length)),
      textColumn<FieldHistory>('Last By', 'Who changed it last.', (h) => h.changes[0]?.user ?? '<none>'),
      textColumn<FieldHistory>('Last Fields', 'What was changed last.', (h) => lastFields(h)),
      ageColumn('When it was changed last.'),
    ],
  },
)

function lastFields({ changes: [last] }: FieldHistory): string {
  const paths = (last?.fields ?? []).map(({ path }) => path)
  return paths.length > 3 ? `${paths.slice(0, 3).join(',')},…` : paths.join(',')
}
