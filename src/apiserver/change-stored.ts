import { cloneJson, type KubeObject } from '../machinery/object.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import { notFound } from '../machinery/status-error.ts'
import type { ServerDeps } from './deps.ts'
import type { ObjectKey, ServerTools } from './extension-points.ts'
import { removeStored } from './handlers/delete/delete.ts'
import type { DeleteOptions } from './handlers/request/options.ts'
import { NO_QUERY } from './handlers/request/query.ts'

/** Changes one stored object without admission and validation; repeated when somebody else wrote meanwhile. */
export async function changeStored(
  { registry, definitions }: Pick<ServerDeps, 'registry' | 'definitions'>,
  target: ObjectKey,
  change: (draft: KubeObject) => void,
  options: { readonly dryRun?: boolean } = {},
): Promise<KubeObject> {
  const definition = definitions.get(target.group, target.resource)
  if (definition === undefined) throw notFound(target, target.name)
  const key = target.namespace === '' ? target.name : `${target.namespace}/${target.name}`
  await registry.consistent()
  for (;;) {
    const item = registry.cache(definition).get(key)
    if (item === undefined) throw notFound(target, target.name)
    const draft = cloneJson(item.object)
    change(draft)
    if (options.dryRun === true) return draft
    const written = await registry.put(definition, key, draft, item)
    if (written.kind !== 'conflict') return written.item.object
  }
}

/** Deletes one stored object by the rules of its kind, without admission. */
export async function removeObject(deps: ServerDeps, tools: ServerTools, { target, options, user }: Removal): Promise<void> {
  const definition = deps.definitions.get(target.group, target.resource)
  const version = definition?.versions.find((v) => v.served)
  if (definition === undefined || version === undefined) throw notFound(target, target.name)
  await removeStored(
    {
      deps: { ...deps, admission: [] },
      tools,
      served: { definition, version },
      target: {
        group: target.group,
        version: version.version,
        namespace: target.namespace,
        namespaced: target.namespace !== '',
        resource: target.resource,
        name: target.name,
        subresource: '',
        rest: '',
        watchPath: false,
      },
      subresource: undefined,
      verb: 'delete',
      user,
      userAgent: '',
      query: NO_QUERY,
      body: { kind: 'object', value: undefined },
      signal: new AbortController().signal,
      warn: () => {},
      annotate: () => {},
    },
    options,
  )
}

interface Removal {
  readonly target: ObjectKey
  readonly options: DeleteOptions
  readonly user: UserInfo
}
