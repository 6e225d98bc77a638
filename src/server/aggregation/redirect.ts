import { parseRequestUri, UrlError } from '../../machinery/go/go-url.ts'

/** Where a delegate's redirect leads, as Kubernetes' proxy rewrites it: a path of the delegate becomes a whole URL of it. */
export function rewrittenLocation(location: string, host: string): string {
  if (location.startsWith('/') && !location.startsWith('//')) return `https://${host}${location}`
  try {
    const url = parseRequestUri(location)
    return url.host === host && url.escapedPath.startsWith('/') ? location.replace(/^[a-z]+:/i, 'https:') : location
  } catch (error) {
    if (error instanceof UrlError) return location
    throw error
  }
}
