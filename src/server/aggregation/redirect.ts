import { parseRequestUri, UrlError } from '../../machinery/go/go-url.ts'

/** A delegate's redirect, rewritten as Kubernetes' proxy does: a path becomes a full URL of the delegate. */
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
