import type { LiveText } from '../../base/live-text.ts'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, strings, text } from '../../machinery/flags/kinds.ts'
import { caBundle } from './ca-bundle.ts'
import { optionFile } from './files.ts'

/** Servers before this one (front proxies), and servers behind it. */
export const AGGREGATION_FLAGS = {
  'requestheader-client-ca-file': text('', { help: 'the authorities of front proxies' }),
  'requestheader-allowed-names': strings([], { help: 'common names of front proxies; none: every certificate of the authority' }),
  'requestheader-username-headers': strings([], { help: 'headers that name the user, the first that is there' }),
  'requestheader-uid-headers': strings([], { help: 'headers that tell the uid of the user' }),
  'requestheader-group-headers': strings([], { help: 'headers that name groups, all that are there' }),
  'requestheader-extra-headers-prefix': strings([], { help: 'prefixes of headers whose rest is the key of an extra' }),
  'proxy-client-cert-file': text('', { help: 'what this server proves itself with to servers behind it' }),
  'proxy-client-key-file': text(''),
  'aggregator-reject-forwarding-redirect': bool(true, { help: 'redirects of servers behind this one are answered 502' }),
  'enable-aggregator-routing': bool(false, { help: 'requests go to endpoints of services, not to their addresses' }),
}

type AggregationValues = FlagValues<typeof AGGREGATION_FLAGS>

export interface AggregationOptions {
  /** Who may name users in headers, and in which; undefined: nobody. */
  readonly frontProxy:
    | {
        readonly ca: LiveText
        /** Common names; empty allows every certificate of the authority. */
        readonly allowedNames: readonly string[]
        readonly userHeaders: readonly string[]
        readonly uidHeaders: readonly string[]
        readonly groupHeaders: readonly string[]
        readonly extraPrefixes: readonly string[]
      }
    | undefined
  /** With what this server proves itself to those behind it, PEM. */
  readonly proxyClient: { readonly cert: LiveText; readonly key: LiveText } | undefined
  /** Requests go to endpoints of services, not to their addresses. */
  readonly routing: boolean
  /** Redirects of servers behind this one are not handed on. */
  readonly rejectRedirects: boolean
}

const FRONT_PROXY_LISTS = [
  'requestheader-username-headers',
  'requestheader-uid-headers',
  'requestheader-group-headers',
  'requestheader-extra-headers-prefix',
  'requestheader-allowed-names',
] as const

/** No name of a header, and of no front proxy, is blank. */
export const aggregationFaults = ({ values }: { readonly values: AggregationValues; readonly given: ReadonlySet<string> }): string[] =>
  FRONT_PROXY_LISTS.filter((flag) => values[flag].some((name) => name.trim() === '')).map((flag) => `empty value in "${flag}"`)

export function readAggregation({ values }: { readonly values: AggregationValues }): AggregationOptions {
  const ca = values['requestheader-client-ca-file']
  const cert = values['proxy-client-cert-file']
  const key = values['proxy-client-key-file']
  return {
    frontProxy:
      ca === ''
        ? undefined
        : {
            ca: caBundle('request-header', ca),
            allowedNames: values['requestheader-allowed-names'],
            userHeaders: values['requestheader-username-headers'],
            uidHeaders: values['requestheader-uid-headers'],
            groupHeaders: values['requestheader-group-headers'],
            extraPrefixes: values['requestheader-extra-headers-prefix'],
          },
    proxyClient: cert === '' || key === '' ? undefined : { cert: optionFile(cert), key: optionFile(key) },
    routing: values['enable-aggregator-routing'],
    rejectRedirects: values['aggregator-reject-forwarding-redirect'],
  }
}
