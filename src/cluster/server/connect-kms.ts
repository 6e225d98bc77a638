import type { Clock } from '../../base/clock.ts'
import { bytes, type MessageOf, many, message, text } from '../../machinery/protobuf/plain-message.ts'
import { connectUnix } from '../../sdk/grpc/connect-unix.ts'
import { GrpcError } from '../../sdk/grpc/grpc-error.ts'
import { type UnaryMethod, unary } from '../../sdk/grpc/method.ts'
import type { EncryptionMetrics } from '../../server/encryption/encryption-metrics.ts'
import { type ConnectKms, KmsCallError } from '../../server/encryption/kms/kms-service.ts'

// k8s.io/kms/apis/v2
const Annotation = message<{ readonly key: string; readonly value: Uint8Array }>({ key: text(1), value: bytes(2) })
const StatusRequest = message<object>({})
const StatusResponse = message<{ readonly version: string; readonly healthz: string; readonly keyId: string }>({
  version: text(1),
  healthz: text(2),
  keyId: text(3),
})
const DecryptRequest = message<{
  readonly ciphertext: Uint8Array
  readonly uid: string
  readonly keyId: string
  readonly annotations: readonly MessageOf<typeof Annotation>[]
}>({ ciphertext: bytes(1), uid: text(2), keyId: text(3), annotations: many(4, Annotation) })
const DecryptResponse = message<{ readonly plaintext: Uint8Array }>({ plaintext: bytes(1) })
const EncryptRequest = message<{ readonly plaintext: Uint8Array; readonly uid: string }>({ plaintext: bytes(1), uid: text(2) })
const EncryptResponse = message<{
  readonly ciphertext: Uint8Array
  readonly keyId: string
  readonly annotations: readonly MessageOf<typeof Annotation>[]
}>({ ciphertext: bytes(1), keyId: text(2), annotations: many(3, Annotation) })

const SERVICE = '/v2.KeyManagementService'
const STATUS = unary(`${SERVICE}/Status`, StatusRequest, StatusResponse)
const DECRYPT = unary(`${SERVICE}/Decrypt`, DecryptRequest, DecryptResponse)
const ENCRYPT = unary(`${SERVICE}/Encrypt`, EncryptRequest, EncryptResponse)

/** Connects to KMS v2 plugins by gRPC over their sockets. */
export const connectKmsBy =
  (clock: Clock, metrics: EncryptionMetrics): ConnectKms =>
  async ({ name, socket, timeoutMs }) => {
    const connection = await connectUnix(socket, { clock })
    const closing = new AbortController()
    async function call<Q, A>(method: UnaryMethod<Q, A>, request: Q): Promise<A> {
      const startedAtMs = clock.monotonic()
      const ended = (status: string) => metrics.called(name, method.path, { status, startedAtMs })
      try {
        const answer = await connection.call(method, request, { signal: closing.signal, timeoutMs })
        ended('OK')
        return answer
      } catch (error) {
        if (!(error instanceof GrpcError)) throw error
        ended(error.code)
        throw new KmsCallError(error.code, error.message, { cause: error })
      }
    }
    return {
      status: () => call(STATUS, {}),
      async encrypt(uid, plaintext) {
        const { ciphertext, keyId, annotations } = await call(ENCRYPT, { plaintext, uid })
        return { ciphertext, keyId, annotations: new Map(annotations.map(({ key, value }) => [key, value])) }
      },
      async decrypt(uid, { ciphertext, keyId, annotations }) {
        const listed = [...annotations].map(([key, value]) => ({ key, value }))
        return (await call(DECRYPT, { ciphertext, uid, keyId, annotations: listed })).plaintext
      },
      [Symbol.dispose]() {
        closing.abort()
        connection[Symbol.dispose]()
      },
    }
  }
