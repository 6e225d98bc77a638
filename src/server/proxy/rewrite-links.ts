/** The position of a page: its links are rewritten to go through the proxy. */
export interface ProxiedPage {
  /** `/api/v1/nodes/node-1/proxy`. */
  readonly prefix: string
  /** Hosts whose links are rewritten. */
  readonly hosts: readonly string[]
}

/** Rewrites a link to the host behind the proxy. Relative links and those to other hosts stay. */
export function rewriteLink(link: string, { prefix, hosts }: ProxiedPage): string {
  const match = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/([^/?#]*))?(\/[^?#]*)?(.*)$/is.exec(link)
  const [, host = '', path = '', rest = ''] = match ?? []
  if (host !== '' && !hosts.includes(host)) return link
  if (!path.startsWith('/')) return link
  return path.startsWith(prefix) ? `${path}${rest}` : `${prefix}${path}${rest}`
}

const TAG = /<[a-z][a-z0-9]*\s[^<>]{0,4096}>/gi
const ATTRIBUTE =
  /(\s(?:href|src|action|cite|longdesc|usemap|formaction|poster|data|codebase|classid|icon|manifest|profile)\s*=\s*)("([^"]*)"|'([^']*)')/gi

/** Rewrites the links of a page. */
export const rewriteHtml = (page: string, proxied: ProxiedPage): string =>
  page.replace(TAG, (tag) =>
    tag.replace(ATTRIBUTE, (_all, name: string, _quoted: string, double?: string, single?: string) =>
      double === undefined ? `${name}'${rewriteLink(single ?? '', proxied)}'` : `${name}"${rewriteLink(double, proxied)}"`,
    ),
  )
