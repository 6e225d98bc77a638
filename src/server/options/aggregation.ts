import { readFileSync } from 'node:fs'
import type { LiveText } from '../../base/live-text.ts'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, strings, text } from '../../machinery/flags/kinds.ts'
import { certificatesOf } from '../../machinery/x509/certificates-of.ts'
import type { FrontProxyOptions } from '../auth/auth-options.ts'
import { optionFile } from '../option-file.ts'
import { OptionsError } from '../options-error.ts'
import { caBundle } from './ca-bundle.ts'
import { pairFault } from './serving.ts'

/** Front proxies before this server, and delegates behind it. */
export const AGGREGATION_FLAGS = {
  'requestheader-client-ca-file': text('', { help: 'the certificate authorities of front proxies' }),
  'requestheader-allowed-names': strings([], { help: 'the common names of front proxies (default: every certificate of the authority)' }),
  'requestheader-username-headers': strings([], { help: 'headers with the user name; the first that is present counts' }),
  'requestheader-uid-headers': strings([], { help: 'headers with the uid of the user' }),
  'requestheader-group-headers': strings([], { help: 'headers with groups; all that are present count' }),
  'requestheader-extra-headers-prefix': strings([], { help: 'prefixes of headers with extra attributes of the user' }),
  'proxy-client-cert-file': text('', { help: 'the client certificate that this server shows to aggregated API servers' }),
  'proxy-client-key-file': text('', { help: 'the key of that certificate' }),
  'aggregator-reject-forwarding-redirect': bool(true, { help: 'answer 502 to redirects of aggregated API servers' }),
  'enable-aggregator-routing': bool(false, { help: 'send requests to endpoints of services, not to their addresses' }),
}

type AggregationValues = FlagValues<typeof AGGREGATION_FLAGS>

export interface AggregationOptions {
  /** Undefined: there is no front proxy. */
  readonly frontProxy: FrontProxyOptions | undefined
  /** This server's client certificate for delegates, PEM. */
  readonly proxyClient: { readonly cert: LiveText; readonly key: LiveText } | undefined
  /** Requests go to endpoints of services, not to their cluster IPs. */
  readonly routing: boolean
  /** Redirects of delegates are refused. */
  readonly rejectRedirects: boolean
}

const FRONT_PROXY_LISTS = [
  'requestheader-username-headers',
  'requestheader-uid-headers',
  'requestheader-group-headers',
  'requestheader-extra-headers-prefix',
  'requestheader-allowed-names',
] as const

/** Flags that exclude each other. */
export function aggregationFaults({ values }: { readonly values: AggregationValues & { readonly 'client-ca-file': string } }): string[] {
  const faults = FRONT_PROXY_LISTS.filter((flag) => values[flag].some((name) => name.trim() === '')).map(
    (flag) => `empty value in "${flag}"`,
  )
  const uids = values['requestheader-uid-headers']
  if (uids.length > 0 && !uids.some((name) => name.toLowerCase() === 'x-remote-uid'))
    faults.push('--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work')
  if (values['requestheader-allowed-names'].length === 0 && haveInCommon(values['requestheader-client-ca-file'], values['client-ca-file']))
    faults.push(
      '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
    )
  return faults
}

/** Whether two bundles share a certificate. Errors of files are reported when they are loaded. */
function haveInCommon(file: string, other: string): boolean {
  if (file === '' || other === '') return false
  try {
    const one = new Set(certificatesOf(readFileSync(file, 'utf8')).map((c) => c.fingerprint256))
    return certificatesOf(readFileSync(other, 'utf8')).some((c) => one.has(c.fingerprint256))
  } catch {
    return false
  }
}

/** This server's client certificate; one file without the other counts as none, as in kube-apiserver. */
function proxyClientOf(certFile: string, keyFile: string): AggregationOptions['proxyClient'] {
  if (certFile === '' || keyFile === '') return undefined
  const pair = { cert: optionFile(certFile), key: optionFile(keyFile) }
  const fault = pairFault(pair.cert.current(), pair.key.current())
  if (fault !== undefined) throw new OptionsError('bad-file', fault)
  return pair
}

export function readAggregation({ values }: { readonly values: AggregationValues }): AggregationOptions {
  const ca = values['requestheader-client-ca-file']
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
    proxyClient: proxyClientOf(values['proxy-client-cert-file'], values['proxy-client-key-file']),
    routing: values['enable-aggregator-routing'],
    rejectRedirects: values['aggregator-reject-forwarding-redirect'],
  }
}
