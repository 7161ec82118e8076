'use strict';
// Who is asking: App tokens (RS256, checked against the public key), installation tokens in the
// stateless form that GitHub hands out since 2026, and one personal token.

const crypto = require('crypto');

const kLongestJwtSeconds = 600;

class SignIn {
  constructor(options) {
    this.options = options;
    this.tokens = new Map(); // text -> {installation, expiresAtMs}
    this.issued = 0;
  }

  nowSeconds() {
    return Math.floor(Date.now() / 1000) + this.options.clockOffsetS;
  }

  // null when the token is good, else GitHub's sentence about it.
  jwtFault(jwt) {
    const parts = jwt.split('.');
    if (parts.length !== 3 || !this.options.publicKey) return 'A JSON web token could not be decoded';
    if (parts.some((part) => !/^[A-Za-z0-9_-]+$/.test(part))) {
      return 'A JSON web token could not be decoded';
    }
    let header, claims;
    try {
      header = JSON.parse(Buffer.from(parts[0], 'base64url').toString());
      claims = JSON.parse(Buffer.from(parts[1], 'base64url').toString());
    } catch {
      return 'A JSON web token could not be decoded';
    }
    const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
    const signature = Buffer.from(parts[2], 'base64url');
    if (header.alg !== 'RS256' ||
        !crypto.verify('RSA-SHA256', signed, this.options.publicKey, signature)) {
      return 'A JSON web token could not be decoded';
    }
    const now = this.nowSeconds();
    if (!Number.isInteger(claims.iat) || claims.iat > now) {
      return "'Issued at' claim ('iat') must be an Integer representing the time that the " +
        'assertion was issued';
    }
    if (!Number.isInteger(claims.exp) || claims.exp <= now) {
      return "'Expiration time' claim ('exp') must be a numeric value representing the future " +
        'time at which the assertion expires';
    }
    if (claims.exp - now > kLongestJwtSeconds) {
      return "'Expiration time' claim ('exp') is too far in the future";
    }
    const issuers = [String(this.options.appId), this.options.clientId];
    if (!issuers.includes(String(claims.iss))) return 'Integration not found';
    return null;
  }

  issue(installation) {
    const part = (bytes) => crypto.randomBytes(bytes).toString('base64url');
    this.issued += 1;
    const text = `ghs_${this.options.appId}_${part(36)}.${part(150)}.${part(256)}`;
    const expiresAtMs = this.nowSeconds() * 1000 + this.options.tokenSeconds * 1000;
    this.tokens.set(text, { installation, expiresAtMs });
    return { token: text, expiresAtMs };
  }

  dropTokens() {
    this.tokens.clear();
  }

  // {kind: "app" | "installation" | "user", ...} or {fault: sentence}.
  identify(authorization) {
    const match = /^(Bearer|token) (\S+)$/i.exec(authorization || '');
    if (!match) return { fault: 'Requires authentication' };
    const text = match[2];
    if (this.options.token && text === this.options.token) {
      return { kind: 'user', login: this.options.tokenLogin };
    }
    const known = this.tokens.get(text);
    if (known) {
      if (known.expiresAtMs <= this.nowSeconds() * 1000) return { fault: 'Bad credentials' };
      return {
        kind: 'installation',
        installation: known.installation,
        login: `${this.options.appSlug}[bot]`,
      };
    }
    if (text.startsWith('gh')) return { fault: 'Bad credentials' };
    const fault = this.jwtFault(text);
    return fault ? { fault } : { kind: 'app' };
  }
}

module.exports = { SignIn };
