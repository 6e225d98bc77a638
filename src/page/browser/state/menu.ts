import type { CollectionName } from '../../wire/object-name.ts'
import { isServed } from './kinds.ts'
import { listPath } from './route.ts'
import { TRAILS } from './trails.ts'

export interface MenuEntry {
  readonly name: string
  readonly to: string
}

const core = (resource: string) => listPath({ group: '', version: 'v1', resource })

const ALWAYS: readonly MenuEntry[] = [
  { name: 'Overview', to: '/' },
  { name: 'Pods', to: core('pods') },
  { name: 'Deployments', to: listPath({ group: 'apps', version: 'v1', resource: 'deployments' }) },
  { name: 'Nodes', to: core('nodes') },
  { name: 'Events', to: core('events') },
  { name: 'Kinds', to: '/kinds' },
  { name: 'Lab', to: '/lab' },
  { name: 'Trials', to: '/trials' },
]

const reports = (name: string, resource: string) => {
  const of: CollectionName = { ...TRAILS, resource }
  return { name, of, to: listPath(of) }
}

/** Those whose kind is served. */
const REPORTED: readonly (MenuEntry & { readonly of: CollectionName })[] = [
  reports('Requests', TRAILS.resource),
  reports('Scheduling', 'queuereports'),
  reports('Controllers', 'controllerreports'),
  reports('Watches', 'watchreports'),
]

/** The views that have a link of their own in the head of the page. */
export const menu = (): readonly MenuEntry[] => [...ALWAYS, ...REPORTED.filter(({ of }) => isServed(of))]

/** The name of a list: that of its menu, or the resource. */
export const titleOf = ({ group, resource }: CollectionName): string =>
  (group === TRAILS.group ? REPORTED.find(({ of }) => of.resource === resource)?.name : undefined) ?? resource
