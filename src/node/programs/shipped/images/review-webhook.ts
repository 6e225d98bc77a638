import type { JsonObject } from '../../../../machinery/object.ts'
import type { FetchHandler, Program } from '../../program.ts'
import { readFlags } from './flags.ts'

interface Review {
  readonly uid: string
  readonly operation: string
  readonly name?: string
  readonly resource?: { readonly resource?: string }
  readonly object?: ReviewedObject | null
  readonly oldObject?: ReviewedObject | null
}

interface ReviewedObject {
  readonly metadata?: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly containers?: readonly { readonly name: string }[]
    readonly initContainers?: readonly { readonly name: string }[]
  }
  readonly stdin?: boolean
  readonly container?: string
}

interface Verdict {
  readonly allowed: boolean
  readonly status?: JsonObject
  readonly patch?: readonly JsonObject[]
}

const ALLOWED: Verdict = { allowed: true }
const denied = (message: string): Verdict => ({ allowed: false, status: { message } })
/** The names of labels and keys by which a user asks for an effect. */
const MARK = 'webhook-e2e-test'

/** What each path answers, as the webhook of Kubernetes' test image does. */
const VERDICTS: Readonly<Record<string, (review: Review, sidecarImage: string) => Verdict | 'never'>> = {
  '/always-allow-delay-5s': () => ({ allowed: true, status: { message: 'this webhook allows all requests' } }),
  '/always-deny': () => denied('this webhook denies all requests'),
  '/add-label': ({ object }) => {
    const labels = object?.metadata?.labels ?? {}
    if (Object.keys(labels).length === 0) return patched({ op: 'add', path: '/metadata/labels', value: { 'added-label': 'yes' } })
    if (labels['added-label'] === 'yes') return ALLOWED
    return patched({ op: 'add', path: '/metadata/labels/added-label', value: 'yes' })
  },
  '/pods': ({ object }) => {
    const label = object?.metadata?.labels?.[MARK]
    if (label === 'wait-forever') return 'never'
    const faults = [
      ...(label === 'webhook-disallow' ? ['the pod contains unwanted label;'] : []),
      ...(object?.spec?.containers ?? [])
        .filter((c) => c.name.includes('webhook-disallow'))
        .map(() => 'the pod contains unwanted container name;'),
    ]
    return faults.length === 0 ? ALLOWED : denied(faults.join(' '))
  },
  '/pods/attach': ({ name, object }) =>
    name === 'to-be-attached-pod' && object?.stdin === true && object.container === 'container1'
      ? denied("attaching to pod 'to-be-attached-pod' is not allowed")
      : ALLOWED,
  '/mutating-pods': ({ object }) => {
    const there = (object?.spec?.initContainers ?? []).some((c) => c.name === 'webhook-added-init-container')
    if (object?.metadata?.name !== 'webhook-to-be-mutated' || there) return ALLOWED
    const container = { image: 'webhook-added-image', name: 'webhook-added-init-container', resources: {} }
    return patched({ op: 'add', path: '/spec/initContainers', value: [container] })
  },
  '/mutating-pods-sidecar': ({ object }, image) => {
    if (image === '')
      return { allowed: false, status: { status: 'Failure', message: 'No image specified by the sidecar-image parameter', code: 500 } }
    if ((object?.spec?.containers ?? []).some((c) => c.name === 'webhook-added-sidecar')) return ALLOWED
    return patched({ op: 'add', path: '/spec/containers/-', value: { image, name: 'webhook-added-sidecar', resources: {} } })
  },
  '/configmaps': (review) =>
    unwantedData(
      review,
      'the configmap contains unwanted key and value',
      'the configmap cannot be deleted because it contains unwanted key and value',
    ),
  '/custom-resource': (review) =>
    unwantedData(
      review,
      'the custom resource contains unwanted data',
      'the custom resource cannot be deleted because it contains unwanted key and value',
    ),
  '/mutating-configmaps': nextStage,
  '/mutating-custom-resource': nextStage,
  '/crd': ({ object }) => (object?.metadata?.labels?.[MARK] === 'webhook-disallow' ? denied('the crd contains unwanted label') : ALLOWED),
}

function patched(...patch: readonly JsonObject[]): Verdict {
  return { allowed: true, patch }
}

function unwantedData({ operation, object, oldObject }: Review, unwanted: string, kept: string): Verdict {
  const mark = (operation === 'DELETE' ? oldObject : object)?.data?.[MARK]
  if (mark === 'webhook-disallow' && (operation === 'CREATE' || operation === 'UPDATE'))
    return { allowed: false, status: { reason: unwanted } }
  return mark === 'webhook-nondeletable' && operation === 'DELETE' ? { allowed: false, status: { reason: kept } } : ALLOWED
}

function nextStage({ object }: Review): Verdict {
  const data = object?.data ?? {}
  const stage = data['mutation-stage-1'] === 'yes' ? 2 : data['mutation-start'] === 'yes' ? 1 : undefined
  return stage === undefined ? ALLOWED : patched({ op: 'add', path: `/data/mutation-stage-${stage}`, value: 'yes' })
}

/** `webhook`: admission reviews over HTTPS, with the verdicts that Kubernetes' own tests expect. */
export const reviewWebhook: Program = async (container) => {
  const flags = readFlags(container.args)
  const answer: FetchHandler = async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/readyz') return new Response('ok')
    const judge = Object.hasOwn(VERDICTS, pathname) ? VERDICTS[pathname] : undefined
    if (judge === undefined) return new Response('404 page not found\n', { status: 404 })
    const { apiVersion, request: review } = (await request.json()) as { apiVersion: string; request: Review }
    if (pathname === '/always-allow-delay-5s') await container.clock.sleep(5000)
    const verdict = judge(review, flags.text('sidecar-image'))
    if (verdict === 'never') return new Promise(() => {})
    const { allowed, status, patch } = verdict
    const response = {
      uid: review.uid,
      allowed,
      ...(status !== undefined && { status }),
      ...(patch !== undefined && { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
    }
    return Response.json({ kind: 'AdmissionReview', apiVersion, response })
  }
  await container.listen(flags.number('port', 443), answer, {
    tls: { certFile: flags.text('tls-cert-file'), keyFile: flags.text('tls-private-key-file') },
  })
}

interface Conversion {
  readonly uid: string
  readonly desiredAPIVersion: string
  readonly objects: readonly JsonObject[]
}

/** `crd-conversion-webhook`: `hostPort` of version 1 is `host` and `port` of version 2. */
export const conversionWebhook: Program = async (container) => {
  const flags = readFlags(container.args)
  const answer: FetchHandler = async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/readyz') return new Response('ok')
    if (pathname !== '/crdconvert') return new Response('404 page not found\n', { status: 404 })
    const { apiVersion, kind, request: requested } = (await request.json()) as { apiVersion: string; kind: string; request: Conversion }
    const convertedObjects = requested.objects.map((o) => convert(o, requested.desiredAPIVersion))
    return Response.json({ apiVersion, kind, response: { uid: requested.uid, convertedObjects, result: { status: 'Success' } } })
  }
  await container.listen(flags.number('port', 443), answer, {
    tls: { certFile: flags.text('tls-cert-file'), keyFile: flags.text('tls-private-key-file') },
  })
}

function convert({ hostPort, host, port, ...rest }: JsonObject, apiVersion: string): JsonObject {
  if (apiVersion.endsWith('/v2')) {
    if (typeof hostPort !== 'string') return { ...rest, apiVersion }
    const [name = '', number = ''] = hostPort.split(':')
    return { ...rest, apiVersion, host: name, port: number }
  }
  return { ...rest, apiVersion, ...((host !== undefined || port !== undefined) && { hostPort: `${host ?? ''}:${port ?? ''}` }) }
}
