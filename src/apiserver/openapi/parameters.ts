import type { Schema } from '../../machinery/schema/schema.ts'
import type { Kinds } from '../kinds.ts'

/** A parameter of a path or a query. */
export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly type: 'string' | 'boolean' | 'integer'
  readonly description: string
}

const query = (name: string, type: Parameter['type'], description: string): Parameter => ({ name, in: 'query', type, description })

/** The parameters of the verbs, by name. */
export const PARAMETERS = {
  pretty: query('pretty', 'string', "'true' prints the answer with indents"),
  dryRun: query('dryRun', 'string', "'All' runs every stage of the request and stores nothing"),
  fieldManager: query('fieldManager', 'string', 'the name under which the change is remembered; required for apply'),
  fieldValidation: query('fieldValidation', 'string', 'what to do with unknown and duplicate fields: Ignore, Warn or Strict'),
  force: query('force', 'boolean', 'apply takes fields from other managers'),
  gracePeriodSeconds: query('gracePeriodSeconds', 'integer', 'how long the object may take to end; 0 is at once'),
  ignoreStoreReadErrorWithClusterBreakingPotential: query(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'removes an object that cannot be read from the store, whatever depends on it',
  ),
  orphanDependents: query('orphanDependents', 'boolean', 'deprecated: use propagationPolicy'),
  propagationPolicy: query('propagationPolicy', 'string', 'what becomes of dependents: Orphan, Background or Foreground'),
} as const

/** The parameters of a list; a watch has the same. */
export const LIST_PARAMETERS: readonly Parameter[] = [
  PARAMETERS.pretty,
  query('allowWatchBookmarks', 'boolean', 'the watch may send events of type BOOKMARK'),
  query('continue', 'string', 'the token of the previous page'),
  query('fieldSelector', 'string', 'only objects with these fields'),
  query('labelSelector', 'string', 'only objects with these labels'),
  query('limit', 'integer', 'the most objects on one page'),
  query('resourceVersion', 'string', 'the revision that the answer may be served from'),
  query('resourceVersionMatch', 'string', 'how resourceVersion is meant: Exact or NotOlderThan'),
  query('sendInitialEvents', 'boolean', 'the watch begins with the present objects and a bookmark'),
  query('shardSelector', 'string', 'only a part of the objects, by hash'),
  query('timeoutSeconds', 'integer', 'the longest time that the request may take'),
  query('watch', 'boolean', 'answer with a stream of changes'),
]

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  namespace: 'the namespace of the object',
  path: 'the path behind the proxy',
}

/** A `{name}` in a path. */
export const pathParameter = (name: string, kind: string): Parameter => ({
  name,
  in: 'path',
  type: 'string',
  description: PATH_PARAMETERS[name] ?? `name of the ${kind}`,
})

/** The query parameters of an options kind (`PodExecOptions`): its scalar fields and lists of them. */
export function optionParameters(kinds: Kinds, schema: Schema): Parameter[] {
  if (schema.type !== 'struct') return []
  const docs = schema.openapiName === undefined ? {} : kinds.documentation(schema.openapiName)
  const parameters: Parameter[] = []
  for (const [name, field] of schema.fields) {
    const scalar = field.schema.type === 'list' ? field.schema.items : field.schema
    if (field.inlineOf !== undefined || scalar.type !== 'scalar' || scalar.scalar === 'time') continue
    const type = scalar.scalar === 'bool' ? 'boolean' : scalar.scalar === 'int32' || scalar.scalar === 'int64' ? 'integer' : 'string'
    parameters.push(query(name, type, docs[name] ?? ''))
  }
  return parameters
}
