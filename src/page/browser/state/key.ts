/** The key of this run, from the link or from an earlier load of this tab. It leaves the address at once: addresses end up in histories. */
const STORED = 'bowsprit-key'
const KEY = /^#([\w-]{43})$/

export function takeKey(): string {
  const given = KEY.exec(location.hash)?.[1]
  if (given !== undefined) {
    sessionStorage.setItem(STORED, given)
    history.replaceState(undefined, '', location.pathname + location.search)
  }
  return given ?? sessionStorage.getItem(STORED) ?? ''
}
