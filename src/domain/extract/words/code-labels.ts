import {phrases} from './phrases.js';

/*
 * The names of one-time codes, and of what could be mistaken for them. With a leading `~` a phrase may end a longer
 * word, as in "Bestätigungscode".
 */

/** Names of one-time codes alone. */
export const strongLabels = phrases(`
en: verification code, confirmation code, security code, authentication code, authorization code, one time code
en: one time password, one time passcode, one time pin, single use code, passcode, pass code, log in code, sign in code
en: sign up code, access code, activation code, temporary code, reset code, pairing code, device code, 2fa code
en: two factor code, mfa code, otp, otp code, pin, pin code, totp, security token, login token
de: tan, mtan, ~tan nummer, einmalpasswort, einmalkennwort, einmalcode, ~bestätigungscode, ~sicherheitscode
de: ~verifizierungscode, ~anmeldecode, ~zugangscode, ~aktivierungscode, ~prüfcode, ~freischaltcode
fr: code de vérification, code de confirmation, code de sécurité, code d’accès, code d'accès, code de connexion
fr: code à usage unique, mot de passe à usage unique, code d’activation, code d'activation, code secret
es: código de verificación, código de confirmación, código de seguridad, código de acceso, código de un solo uso
es: código de activación, clave de acceso, contraseña de un solo uso, clave dinámica
it: codice di verifica, codice di conferma, codice di sicurezza, codice di accesso, codice otp, codice monouso
it: codice di attivazione, password monouso
pt: código de verificação, código de confirmação, código de segurança, código de ativação, senha de uso único
pt: token de segurança, token de acesso
nl: ~verificatiecode, ~bevestigingscode, ~beveiligingscode, ~inlogcode, ~toegangscode, ~activeringscode
pl: kod weryfikacyjny, kod potwierdzający, kod bezpieczeństwa, kod dostępu, kod aktywacyjny, hasło jednorazowe
ru: код подтверждения, код проверки, проверочный код, одноразовый код, одноразовый пароль, код доступа
ru: код активации, код безопасности, пароль для входа
uk: пін, пін код, код підтвердження
tr: doğrulama kodu, onay kodu, güvenlik kodu, giriş kodu, aktivasyon kodu, tek kullanımlık şifre
tr: doğrulama kodunuz, onay kodunuz, güvenlik kodunuz, giriş kodunuz, tek kullanımlık kod, tek kullanımlık şifreniz
ja: 認証コード, 確認コード, 認証番号, 確認番号, ワンタイムパスワード, セキュリティコード, 検証コード, 暗証番号
zh: 验证码, 驗證碼, 校验码, 动态码, 动态密码, 确认码, 一次性密码, 安全码, 激活码
ko: 인증번호, 인증 코드, 확인 코드, 보안 코드, 일회용 비밀번호, 인증 번호, 확인 번호
sv: ~verifieringskod, ~bekräftelsekod, ~engångskod
da: ~bekræftelseskode, ~engangskode
fi: ~vahvistuskoodi
cs: ověřovací kód, potvrzovací kód
sk: overovací kód
hu: megerősítő kód
ro: cod de verificare
vi: mã xác minh, mã xác nhận
id: kode verifikasi
el: κωδικός επαλήθευσης
ar: رمز التحقق
he: קוד אימות
th: รหัสยืนยัน
`);

/** Names that one-time codes share with other things: right unless something nearer says otherwise. */
export const generalLabels = phrases(`
en: ~code, ~codes, token, temporary password
de: temporäres passwort
fr: mot de passe temporaire
es: código, codigo, contraseña temporal
it: codice
pt: senha temporária
pl: ~kod, ~kodu, ~kodem
ru: код, коду, кодом, пароль
tr: ~kodunuz, ~kodunu, şifreniz
ja: コード, パスコード
zh: 代码
ko: 코드
sv: ~koden
da: ~kode
fi: ~koodi
cs: ~kód
ro: cod
vi: mã
el: κωδικός
ar: رمز
he: קוד
th: รหัส
`);

/** Names of other numbers and codes. The nearest label of any kind decides. */
export const otherLabels = phrases(`
en: promo code, promotion code, promotional code, discount code, coupon code, voucher code, gift code, gift card code
en: referral code, offer code, creator code, zip code, ~postcode, postal code, post code, area code, country code
en: dial code, dialing code, error code, exit code, status code, response code, return code, reason code, source code
en: code of conduct, code review, code block, codebase, ~barcode, qr code, product code, item code, order code
en: booking code, reservation code, tracking code, swift code, sort code, bank code, tax code, dress code, color code
en: colour code, sku, routing code, airport code, flight code, course code, merchant code, supplier code, vat code
en: anti phishing code, reference code, zone code, class code, location code, store code, project code, batch code, unit code
en: order number, order id, invoice number, receipt number, reference, ref, ref no, reference no
en: reference number, booking reference, booking number, confirmation number, tracking number, case number
en: customer number, customer id, account number, account id, member id, user id, meeting id, webinar id
en: transaction id, request id, policy number, serial no, serial number, ending in, ending with, ends in, copyright
en: postbox, p.o. box, po box, vat, ip address, zip, sent to, registered in
de: ~rabattcode, ~gutscheincode, ~aktionscode, ~gutschein, ~strichcode, ~fehlercode, ~quellcode, plz, ~postleitzahl
de: ~nummer, rechnung nr, ~nr, iban, bic, blz, hrb, ust idnr, postfach
fr: code promo, code de réduction, code postal, code avantage, code client, code parrain, code barre, code source
fr: code erreur, numéro de commande, siret, code de suivi, numéro de suivi
es: código postal, código de descuento, código promocional, código de seguimiento, código de reserva
es: código de barras, cupón, código de error, número de pedido, código de cliente, referencia
it: codice postale, codice sconto, codice promozionale, codice fiscale, codice cliente, codice ordine
it: codice a barre, codice errore, codice di tracciamento, codice prenotazione
pt: código de desconto, código de rastreamento, código de rastreio, código do pedido, cep, cupom, cnpj, cpf, nota fiscal
nl: ~kortingscode, ~actiecode, bestelnummer, postbus, kvk
pl: kod rabatowy, kod pocztowy, kod promocyjny, kod błędu, kod kreskowy, nip
ru: промокод, код скидки, код товара, код ошибки, почтовый индекс, индекс, код города
tr: indirim kodu, promosyon kodu, posta kodu, hata kodu, kupon kodu, kargo takip, numarası, takip no
ja: クーポンコード, クーポン, 割引コード, プロモーションコード, 郵便番号, 注文番号, 〒, お問い合わせ, 商品コード, エラーコード
zh: 优惠码, 优惠券, 折扣码, 订单号, 运单号, 快递单号, 邮编, 邮政编码, 取件码, 错误代码, 邀请码, 二维码, 条形码
ko: 할인 코드, 쿠폰 코드, 쿠폰, 주문번호, 운송장, 우편번호, 고객센터, 사업자등록번호, 오류 코드, 추천 코드, QR 코드
`);

/**
 * Things that have a number. They count only directly before it ("order 5512"), because a sentence about a code may
 * name them, too: "the code for your order is 5512".
 */
export const numberedThings = phrases(`
en: order, invoice, receipt, booking, tracking, shipment, ticket, case, customer, account, card, transaction, policy
en: model, version, build, phone, tel, telephone, fax, mobile, call, total, amount, suite, room, floor, building
en: street, ip, port, flight, gate, since, until, date, ext
de: bestellung, rechnung, telefon, betrag, konto, vorgang
fr: commande, facture, téléphone, tél, montant, colis, numéro
es: pedido, factura, teléfono, importe, número
it: ordine, fattura, numero, telefono, importo, cap
pt: telefone, valor, agência, conta
nl: factuur, bestelling
pl: zamówienie, numer, faktura, kwota
ru: заказ, номер, счет, телефон, тел, сумма
tr: sipariş, fatura
ja: 番号, 電話
zh: 订单, 电话, 编号
ko: 전화
`);
