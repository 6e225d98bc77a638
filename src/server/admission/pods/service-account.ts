import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import type { Draft } from '../../../machinery/object.ts'
import { namesSecret } from '../../../resources/pod/api-references.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { PODS, SERVICE_ACCOUNTS } from '../../../resources/refs.ts'
import type {
  Container,
  EphemeralContainer,
  LocalObjectReference,
  Pod,
  ServiceAccount,
  VolumeProjection,
} from '../../../resources/types/core.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { plainError } from '../plain-error.ts'
import { createdPod, isOf, MIRROR_POD } from '../requests-about.ts'
import { unreadableName } from '../unreadable-name.ts'

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
const VOLUME_PREFIX = 'kube-api-access-'
const ENFORCE_SECRETS = 'kubernetes.io/enforce-mountable-secrets'
/** As in Kubernetes; TokenRequest extends the lifetime of such tokens. */
const TOKEN_SECONDS = 3607
/** A controller creates the account `default` right after its namespace; a pod that is created in between waits this long for it. */
const PATIENCE_MS = 1000
const POLL_MS = 20

/** Sets a pod's service account, mounts its token, adds its image pull secrets, and restricts secrets to those that the account lists. */
export function serviceAccount(deps: AdmissionDeps): AdmissionPlugin<Pod> {
  let chosen: string | undefined
  // One random name for all pods of this server: pods of one template are then equal, and equal parts are validated and stored once.
  const tokenVolume = () => {
    chosen ??= VOLUME_PREFIX + deps.random.suffix(5)
    return chosen
  }
  return {
    name: 'ServiceAccount',
    handles: (r) => createdPod(r) !== undefined || isNewEphemeralContainer(r),
    mutate(request) {
      const pod = createdPod(request)
      if (pod === undefined) return
      if (isMirror(pod)) return checkMirror(request, pod)
      const { spec } = pod
      if (!spec.serviceAccountName) spec.serviceAccountName = spec.serviceAccount || 'default'
      spec.serviceAccount = spec.serviceAccountName
      const account = readObject(deps.reader, SERVICE_ACCOUNTS, request.namespace, spec.serviceAccountName)
      if (account !== undefined || spec.serviceAccountName !== 'default') return use(request, pod, account, tokenVolume)
      return waitForDefault(deps, request.namespace).then((found) => use(request, pod, found, tokenVolume))
    },
    validate(request) {
      const pod = request.object
      if (pod === undefined) return
      if (isMirror(pod)) return checkMirror(request, pod)
      const name = pod.spec.serviceAccountName ?? ''
      const account = readObject(deps.reader, SERVICE_ACCOUNTS, request.namespace, name)
      if (account === undefined && request.operation === 'CREATE') throw unknownAccount(request, name)
      if (account !== undefined) checkSecrets(request, pod, account, request.subresource !== '')
    },
  }
}

const isMirror = (pod: Pod) => pod.metadata.annotations?.[MIRROR_POD] !== undefined
const isNewEphemeralContainer = (r: AdmissionRequest) =>
  r.operation === 'UPDATE' && isOf(r, PODS) && r.subresource === 'ephemeralcontainers'
/** An account that does not exist, or whose name is no path segment. */
function unknownAccount(request: AdmissionRequest, name: string) {
  const why = unreadableName(name) ?? `serviceaccount ${goQuote(name)} not found`
  return refusal(request, `error looking up service account ${request.namespace}/${name}: ${why}`)
}

async function waitForDefault({ reader, clock }: AdmissionDeps, namespace: string): Promise<ServiceAccount | undefined> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    await clock.sleep(POLL_MS)
    const account = readObject(reader, SERVICE_ACCOUNTS, namespace, 'default')
    if (account !== undefined) return account
  }
  return undefined
}

function use(request: AdmissionRequest, pod: Draft<Pod>, account: ServiceAccount | undefined, tokenVolume: () => string): void {
  if (account === undefined) throw unknownAccount(request, pod.spec.serviceAccountName ?? '')
  if (pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(pod, tokenVolume)
  const { imagePullSecrets = [] } = account
  if ((pod.spec.imagePullSecrets ?? []).length === 0 && imagePullSecrets.length > 0) {
    pod.spec.imagePullSecrets = imagePullSecrets.map((secret) => ({ ...secret }))
  }
  checkSecrets(request, pod, account, false)
}

/** Mounts a token volume in every container that has no mount at that path. */
function mountToken(pod: Draft<Pod>, newName: () => string): void {
  const volumes = pod.spec.volumes ?? []
  const present = volumes.find((v) => v.name.startsWith(VOLUME_PREFIX))
  let name = present?.name
  let needed = false
  for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]) {
    const mounts = container.volumeMounts ?? []
    if (mounts.some((m) => m.mountPath === MOUNT_PATH)) continue
    name ??= newName()
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }]
    needed = true
  }
  if (!needed || present !== undefined || name === undefined) return
  pod.spec.volumes = [...volumes, { name, projected: { sources: tokenSources(), defaultMode: 0o644 } }]
}

const tokenSources = (): Draft<VolumeProjection>[] => [
  { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
]

/** A mirror pod shows a static pod, which has no identity in the cluster. */
function checkMirror(request: AdmissionRequest, pod: Pod): void {
  if (pod.spec.serviceAccountName) throw refusal(request, 'a mirror pod may not reference service accounts')
  if (namesSecret(pod.spec)) throw refusal(request, 'a mirror pod may not reference secrets')
  for (const volume of pod.spec.volumes ?? []) {
    if (volume.projected?.sources?.some((s) => s.serviceAccountToken !== undefined)) {
      throw refusal(request, 'a mirror pod may not use ServiceAccountToken volume projections')
    }
  }
}

interface SecretUse {
  readonly name: string
  readonly text: string
}

function checkSecrets(request: AdmissionRequest, pod: Pod, account: ServiceAccount, ephemeralOnly: boolean): void {
  if (account.metadata.annotations?.[ENFORCE_SECRETS] !== 'true') return
  const allowed = new Set((account.secrets ?? []).map((s) => s.name))
  const uses = ephemeralOnly ? containerUses(pod.spec.ephemeralContainers, 'ephemeral container') : secretUses(pod)
  for (const use of uses) {
    if (allowed.has(use.name)) continue
    const why = `${use.text} is not allowed because service account ${account.metadata.name} does not reference that secret`
    throw ephemeralOnly ? plainError(why) : refusal(request, why)
  }
  if (ephemeralOnly) return
  const pullable = new Set((account.imagePullSecrets ?? []).map((s) => s.name))
  for (const [i, secret] of (pod.spec.imagePullSecrets ?? []).entries()) {
    if (pullable.has(secret.name)) continue
    throw refusal(
      request,
      `imagePullSecrets[${i}].name=${goQuote(secret.name ?? '')} is not allowed because service account ${account.metadata.name} does not reference that imagePullSecret`,
    )
  }
}

function secretUses(pod: Pod): SecretUse[] {
  const uses: SecretUse[] = []
  for (const volume of pod.spec.volumes ?? []) {
    if (!volume.secret) continue
    const { secretName = '' } = volume.secret
    uses.push({ name: secretName, text: `volume with secret.secretName=${goQuote(secretName)}` })
  }
  return [...uses, ...containerUses(pod.spec.initContainers, 'init container'), ...containerUses(pod.spec.containers, 'container')]
}

function containerUses(containers: readonly (Container | EphemeralContainer)[] | undefined, what: string): SecretUse[] {
  const uses: SecretUse[] = []
  for (const container of containers ?? []) {
    const use = ({ name = '' }: LocalObjectReference, where: string) =>
      uses.push({ name, text: `${what} ${container.name} with ${where} referencing secret.secretName=${goQuote(name)}` })
    for (const { name, valueFrom } of container.env ?? []) if (valueFrom?.secretKeyRef) use(valueFrom.secretKeyRef, `envVar ${name}`)
    for (const { secretRef } of container.envFrom ?? []) if (secretRef) use(secretRef, 'envFrom')
  }
  return uses
}
