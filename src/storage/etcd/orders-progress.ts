/**
 * Whether this version of etcd responds to a request for progress after all changes that are older. Before 3.4.25 and 3.5.8 a response
 * could overtake them, so that a cache would seem to be complete (https://github.com/etcd-io/etcd/issues/15220).
 */
export function ordersProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/, 3).map(Number)
  if (major !== 3 || minor > 5) return major >= 3
  return (minor === 5 && patch >= 8) || (minor === 4 && patch >= 25)
}
