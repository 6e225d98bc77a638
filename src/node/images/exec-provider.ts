import { spawn } from 'node:child_process'
import type { Clock } from '../../base/clock.ts'
import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import type { FoundProvider } from './credential-config.ts'
import { type Logins, loginsOf } from './docker-config.ts'
import { matchesImage, registryOf } from './image-match.ts'

/** Whose token a program is given. */
export interface TokenOfPod {
  readonly token: string
  /** Of the service account; other accounts may get other logins. */
  readonly account: string
  readonly annotations: Readonly<Record<string, string>>
}

/** Why a program gave no logins; the message is the kubelet's. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code = 'no-credentials'
}

interface ProviderResponse {
  readonly apiVersion?: string
  readonly kind?: string
  readonly cacheKeyType?: string
  readonly cacheDuration?: string
  readonly auth?: Parameters<typeof loginsOf>[0]
}

/** A program that hangs is given up. */
const TIMEOUT_MS = 60_000
const MOST_OUTPUT_BYTES = 1 << 20

/** One credential provider, with the answers that it said may be kept. */
export class ExecProvider {
  readonly #provider: FoundProvider
  readonly #clock: Clock
  readonly #kept = new Map<string, { readonly logins: Logins; readonly untilMs: number }>()

  constructor(provider: FoundProvider, clock: Clock) {
    this.#provider = provider
    this.#clock = clock
  }

  get name(): string {
    return this.#provider.name
  }

  get tokenAttributes(): FoundProvider['tokenAttributes'] {
    return this.#provider.tokenAttributes
  }

  provides(repository: string): boolean {
    return this.#provider.matchImages.some((pattern) => matchesImage(pattern, repository))
  }

  /** @throws {ProviderError} */
  async loginsFor(repository: string, token: TokenOfPod | undefined, signal: AbortSignal): Promise<Logins> {
    const owner = token === undefined ? '' : this.tokenAttributes?.cacheType === 'Token' ? token.token : token.account
    const keys = [repository, registryOf(repository), 'global'].map((key) => `${key} ${owner}`)
    for (const key of keys) {
      const kept = this.#kept.get(key)
      if (kept !== undefined && kept.untilMs > this.#clock.now()) return kept.logins
    }
    const answer = await this.#ask(repository, token, signal)
    const logins = loginsOf(answer.auth ?? {})
    const key = keys[['Image', 'Registry', 'Global'].indexOf(answer.cacheKeyType ?? '')]
    if (key === undefined)
      throw new ProviderError(`credential provider plugin did not return a valid cacheKeyType: ${answer.cacheKeyType ?? ''}`)
    const keptMs = parseGoDuration(answer.cacheDuration ?? this.#provider.defaultCacheDuration) ?? 0
    if (keptMs > 0) this.#kept.set(key, { logins, untilMs: this.#clock.now() + keptMs })
    return logins
  }

  async #ask(repository: string, token: TokenOfPod | undefined, signal: AbortSignal): Promise<ProviderResponse> {
    const { apiVersion } = this.#provider
    const request = {
      kind: 'CredentialProviderRequest',
      apiVersion,
      image: repository,
      ...(token && { serviceAccountToken: token.token }),
      ...(token && Object.keys(token.annotations).length > 0 && { serviceAccountAnnotations: token.annotations }),
    }
    try {
      return readResponse(await this.#run(JSON.stringify(request), repository, signal), apiVersion)
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      throw new ProviderError(`failed to get credential from external registry credential provider: ${error.message}`, { cause: error })
    }
  }

  #run(stdin: string, repository: string, signal: AbortSignal): Promise<string> {
    const { program, name, args = [], env = [] } = this.#provider
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const failed = (why: string, cause?: unknown) =>
      reject(new ProviderError(`error execing credential provider plugin ${name} for image ${repository}: ${why}`, { cause }))
    const child = spawn(program, [...args], {
      env: { ...process.env, ...Object.fromEntries(env.map((e) => [e.name, e.value])) },
      stdio: ['pipe', 'pipe', 'ignore'],
      signal,
      killSignal: 'SIGKILL',
    })
    const cancel = this.#clock.after(TIMEOUT_MS, () => child.kill('SIGKILL'))
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (out.length > MOST_OUTPUT_BYTES) child.kill('SIGKILL')
    })
    child.on('error', (error) => failed(error.message, error))
    // What a program that was killed has started may hold its output open.
    child.on('exit', (code, killedBy) => {
      cancel()
      if (killedBy !== null) failed(`signal: ${killedBy === 'SIGKILL' ? 'killed' : killedBy}`)
      else if (code !== 0) failed(`exit status ${code}`)
    })
    child.on('close', () => resolve(out))
    child.stdin.on('error', () => {
      // A program may end without reading.
    })
    child.stdin.end(stdin)
    return promise
  }
}

function readResponse(text: string, apiVersion: string): ProviderResponse {
  let answer: ProviderResponse
  try {
    answer = JSON.parse(text)
  } catch (error) {
    const why = text.trim() === '' ? 'unexpected end of JSON input' : 'invalid character'
    throw new ProviderError(`error reading GVK from response: couldn't get version/kind; json parse error: ${why}`, { cause: error })
  }
  if (answer.kind !== 'CredentialProviderResponse')
    throw new ProviderError(
      `failed to decode response: no kind "${answer.kind ?? ''}" is registered for version "${answer.apiVersion ?? ''}"`,
    )
  if (answer.apiVersion !== apiVersion)
    throw new ProviderError(
      `apiVersion from credential plugin response did not match expected apiVersion:${apiVersion}, actual apiVersion:${answer.apiVersion ?? ''}`,
    )
  return answer
}
