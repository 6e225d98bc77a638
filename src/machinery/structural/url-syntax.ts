/** True if Go's `url.Parse` accepts a text. */
export function parseUrl(text: string): boolean {
  for (const c of text) if (c < ' ' || c === '\x7f') return false
  if (text.startsWith(':')) return false
  const [, , authority, path = ''] = /^([a-zA-Z][a-zA-Z0-9+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)/s.exec(text) ?? []
  if (/%(?![0-9a-fA-F]{2})/.test(path)) return false
  if (authority !== undefined && !isAuthority(authority)) return false
  if (!text.includes(':')) return true
  const first = path.split('/')[0] ?? ''
  return authority !== undefined || /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) || !first.includes(':')
}

function isAuthority(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  if (/[ <>"\\^`{|}]/.test(host)) return false
  if (host.startsWith('[')) return /^\[[0-9a-fA-F:.%\w]+\](?::\d*)?$/.test(host)
  const colon = host.lastIndexOf(':')
  return colon < 0 || /^\d*$/.test(host.slice(colon + 1))
}
