import { computed, signal } from '@preact/signals'
import type { CollectionName, ObjectName } from '../../wire/object-name.ts'
import { type ObjectTab, tabsOf } from './tabs.ts'

/** The view that an address names: all that can be shown has one. */
export type View =
  | { readonly name: 'overview' }
  | { readonly name: 'kinds' }
  | { readonly name: 'lab' }
  | { readonly name: 'trials' }
  | { readonly name: 'list'; readonly of: CollectionName }
  | { readonly name: 'object'; readonly object: ObjectName; readonly tab: ObjectTab }
  | { readonly name: 'unknown' }

const address = signal(location.pathname + location.search)
addEventListener('popstate', () => {
  address.value = location.pathname + location.search
})

export const view = computed(() => viewOf(new URL(address.value, location.origin).pathname))
export const query = computed(() => new URL(address.value, location.origin).searchParams)

/** The revision at which the cluster is shown; `''`: as it is now. */
export const atRevision = computed(() => query.value.get('at') ?? '')

/** The address of a view at the revision that is shown. */
export function atSameRevision(to: string): string {
  if (atRevision.value === '' || /[?&]at=/.test(to)) return to
  return `${to}${to.includes('?') ? '&' : '?'}at=${atRevision.value}`
}

/** Goes to another view; of the same revision, if `to` names none. */
export const go = (to: string): void => move(atSameRevision(to), 'pushState')

function move(to: string, how: 'pushState' | 'replaceState'): void {
  if (to === address.value) return
  history[how](undefined, '', to)
  address.value = to
}

/** The same view with other values of parameters; `''` removes one. */
export const setQuery = (changes: Readonly<Record<string, string>>): void => move(withQuery(changes), 'replaceState')

/** The same view at a revision; `''`: as it is now. */
export const goToRevision = (at: string): void => move(withQuery({ at }), 'pushState')

function withQuery(changes: Readonly<Record<string, string>>): string {
  const next = new URLSearchParams(query.value)
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  return `${new URL(address.value, location.origin).pathname}${text === '' ? '' : `?${text}`}`
}

/** Lone surrogates have no place in an address. */
const enc = (part: string): string => encodeURIComponent(part.toWellFormed())

/** `/k/apps/v1/deployments`; the core group is `core`, which no group is called. */
export const listPath = ({ group, version, resource }: CollectionName, namespace = ''): string =>
  `/k/${enc(group || 'core')}/${enc(version)}/${enc(resource)}${namespace === '' ? '' : `?ns=${enc(namespace)}`}`

/** `/o/apps/v1/deployments/shop/web`; the namespace of the cluster's own objects is `-`. The first tab is not named. */
export function objectPath(object: ObjectName, tab?: ObjectTab): string {
  const { group, version, resource, namespace, name } = object
  const path = `/o/${[group || 'core', version, resource, namespace || '-', name].map(enc).join('/')}`
  return tab === undefined || tab === tabsOf(object)[0] ? path : `${path}/${tab}`
}

export function viewOf(path: string): View {
  const [, first = '', ...parts] = path.split('/').map(decoded)
  const [group = '', version = '', resource = '', namespace = '', name = '', tab = tabsOf({ group, version, resource })[0]] = parts
  const of = { group: group === 'core' ? '' : group, version, resource }
  if (path === '/') return { name: 'overview' }
  if (first === 'kinds') return { name: 'kinds' }
  if (first === 'lab') return { name: 'lab' }
  if (first === 'trials') return { name: 'trials' }
  if (first === 'k' && resource !== '') return { name: 'list', of }
  const known = tabsOf(of).find((each) => each === tab)
  if (first === 'o' && name !== '' && known !== undefined)
    return { name: 'object', object: { ...of, namespace: namespace === '-' ? '' : namespace, name }, tab: known }
  return { name: 'unknown' }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
