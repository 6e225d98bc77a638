import type { TokenAuthenticator } from '../../../../apiserver/identity/authenticator.ts'
import type { Clock } from '../../../../base/clock.ts'
import type { LiveText } from '../../../../base/live-text.ts'
import type { Logger } from '../../../../base/logger.ts'
import { messageOf } from '../../../../base/message-of.ts'
import { equalJson } from '../../../../machinery/equal.ts'
import { forbidden } from '../../../../machinery/field-error.ts'
import type { AuthenticationConfiguration } from '../../configuration/authentication-configuration.ts'
import {
  AuthenticationConfigurationError,
  checkAuthenticationConfiguration,
  checkIssuers,
  readAuthenticationConfiguration,
} from '../../configuration/load-configuration.ts'
import { compileJwt } from '../../configuration/validate-configuration.ts'
import { unionTokens } from '../cached-tokens.ts'
import { createJwtAuthenticator, type JwtAuthenticator } from './jwt-authenticator.ts'

export interface JwtIssuersInit {
  readonly configuration: AuthenticationConfiguration
  readonly algorithms: readonly string[]
  /** The configuration file, if there is one: it is reloaded when it changes. */
  readonly reload: LiveText | undefined
  /** The server's audiences. */
  readonly own: readonly string[]
  /** The issuers of this server's own tokens, which may not be configured again. */
  readonly ownIssuers: readonly string[]
}

export interface JwtIssuersDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Called after every reload. */
  readonly reloaded: (status: 'success' | 'failure') => void
}

/** Authenticates the tokens of all configured issuers. */
export interface JwtIssuers extends TokenAuthenticator, AsyncDisposable {}

/** Time limit for the discovery of all issuers of a new configuration; otherwise the old ones stay. */
const FOUND_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 100

/**
 * Creates the authenticators of the configured issuers, and follows the file: a new configuration replaces the old one when its issuers are
 * discovered; an invalid one is logged, and the old one stays.
 * @throws {AuthenticationConfigurationError}
 */
export function openJwtIssuers(init: JwtIssuersInit, deps: JwtIssuersDeps): JwtIssuers {
  const { clock, log } = deps
  const open = (configuration: AuthenticationConfiguration): JwtAuthenticator[] =>
    configuration.jwt.map((jwt) => {
      const { programs } = compileJwt(jwt, '')
      return createJwtAuthenticator({ jwt, programs, algorithms: init.algorithms, own: init.own }, { clock, log })
    })
  checkIssuers(init.configuration, init.ownIssuers)
  let current = open(init.configuration)
  let union = unionTokens(current)
  const stopped = new AbortController()
  let loading = Promise.resolve()
  const reload = async (text: string): Promise<void> => {
    const next = open(readChanged(text, init))
    try {
      await found(next, clock, stopped.signal)
    } catch (error) {
      for (const one of next) one[Symbol.dispose]()
      throw error
    }
    for (const one of current) one[Symbol.dispose]()
    current = next
    union = unionTokens(current)
    deps.reloaded('success')
  }
  const watched = init.reload?.watch((text) => {
    loading = loading
      .then(() => reload(text))
      .catch((error: unknown) => {
        if (stopped.signal.aborted) return
        deps.reloaded('failure')
        const why = messageOf(error)
        log.warn('the new authentication configuration cannot be used, the old one stays', { error: why })
      })
  })
  return {
    authenticateToken: (token, audiences) => union.authenticateToken(token, audiences),
    async [Symbol.asyncDispose]() {
      watched?.[Symbol.dispose]()
      stopped.abort()
      await loading
      for (const one of current) one[Symbol.dispose]()
    },
  }
}

/** Parses and validates a new configuration; the anonymous rules cannot change at run time. */
function readChanged(text: string, { configuration, ownIssuers }: JwtIssuersInit): AuthenticationConfiguration {
  const next = readAuthenticationConfiguration(text)
  const isSame = equalJson(next.anonymous, configuration.anonymous)
  checkAuthenticationConfiguration(next, isSame ? [] : [forbidden('anonymous', 'changed from initial configuration file')])
  checkIssuers(next, ownIssuers)
  return next
}

/** Waits until all issuers are discovered. */
async function found(authenticators: readonly JwtAuthenticator[], clock: Clock, signal: AbortSignal): Promise<void> {
  const untilMs = clock.monotonic() + FOUND_WITHIN_MS
  for (;;) {
    const faults = authenticators.map((one) => one.fault()).filter((fault) => fault !== undefined)
    if (faults.length === 0) return
    if (clock.monotonic() >= untilMs) throw new AuthenticationConfigurationError(faults.join(', '))
    await clock.sleep(LOOK_EVERY_MS, signal)
  }
}
