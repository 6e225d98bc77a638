import https from 'node:https'
import { applyMergePatch } from '../../src/machinery/json/merge-patch.ts'
import { isObject, type Json, type JsonObject } from '../../src/machinery/object.ts'
import { sortedKeys } from '../../src/machinery/sorted-keys.ts'
import { openLocalServer } from '../../src/testing/local-server.ts'
import { testCertificate } from '../../src/testing/test-certificate.ts'

/** What a webhook answers to a review, as an author of a webhook may have it: right where nothing is said. */
export interface WebhookAnswer {
  /** Of HTTP; default 200. */
  readonly code?: number
  /** The body in place of a review. */
  readonly text?: string
  /** A merge patch of the review. */
  readonly review?: JsonObject
  /** A merge patch of the review's response. */
  readonly response?: JsonObject
  /** Operations of a JSON patch. */
  readonly patch?: Json
  /** The request is the message of the response's status. */
  readonly echo?: boolean
  /** A merge patch of every converted object. */
  readonly objects?: JsonObject
}

/** The URL of a webhook with this answer; `{webhook}` is one of the words that `openDrawnWebhook` gives. */
export const webhookUrl = (answer: WebhookAnswer): string => `{webhook}/${Buffer.from(JSON.stringify(answer)).toString('base64url')}`

export interface DrawnWebhook extends AsyncDisposable {
  /** Its address, `{webhook}`, and the bundle of its authority, `{webhookCA}`. */
  readonly words: Readonly<Record<'webhook' | 'webhookCA', string>>
}

/** A server of webhooks whose paths are their answers. */
export async function openDrawnWebhook(): Promise<DrawnWebhook> {
  const { cert, key, ca } = testCertificate()
  const server = https.createServer({ cert, key }, async (request, response) => {
    const answer = JSON.parse(Buffer.from((request.url ?? '').replace(/^\/|\?.*$/g, ''), 'base64url').toString()) as WebhookAnswer
    const review = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString()) as Review
    response.writeHead(answer.code ?? 200, { 'content-type': 'application/json' })
    response.end(answer.text ?? JSON.stringify(answeredReview(review, answer)))
  })
  const local = await openLocalServer(server)
  return {
    words: { webhook: `https://127.0.0.1:${local.port}`, webhookCA: Buffer.from(ca).toString('base64') },
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  }
}

interface Review extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly request: JsonObject
}

/** The review as the webhook sends it back. */
export function answeredReview({ apiVersion, kind, request }: Review, answer: WebhookAnswer): Json {
  const { desiredAPIVersion, objects } = request
  const right: JsonObject = {
    uid: request.uid,
    ...(Array.isArray(objects)
      ? { result: { status: 'Success' }, convertedObjects: objects.map((object) => converted(object, desiredAPIVersion, answer)) }
      : { allowed: true }),
    ...(answer.echo && { status: { message: echoOf(request) } }),
    ...(answer.patch !== undefined && { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(answer.patch)).toString('base64') }),
  }
  const response = applyMergePatch(right, answer.response ?? {})
  return applyMergePatch({ apiVersion, kind, response }, answer.review ?? {})
}

const converted = (object: Json, apiVersion: Json | undefined, { objects = {} }: WebhookAnswer): Json =>
  applyMergePatch({ ...(isObject(object) && object), apiVersion }, objects)

/** Without what two servers or two requests never share: the users' names and ids differ. */
function echoOf({ uid: _, userInfo: __, ...request }: JsonObject): string {
  return JSON.stringify(sortedKeys(request))
}
