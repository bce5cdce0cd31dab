import {phrases} from './phrases.js';

/** Verbs between a code and its label, on either side: "your code is 482913", "482913 is your code". */
export const copulas = phrases(`
en: is, are
de: ist, lautet, lauten
fr: est
es: es
it: è
pt: é
nl: is
pl: to, jest
ru: это
sv: är
da: er
fi: on
cs: je
ro: este
vi: là
ja: は
zh: 是, 为, 為
ko: 은, 는
ar: هو
`);

/** What else leads from a code to a label after it: "use 482913 as your code". */
export const linksToLabel = phrases(`
signs: -, –, —, :, (
en: as
de: als
es: como
it: come
pl: jako
ru: ваш
tr: sizin
ja: が
ko: 이
`);

/** Verbs before a code that needs no label when one of the `purposes` follows: "use 482913 to log in". */
export const commands = phrases(`
en: use, enter, type, type in, input
de: nutze, nutzen sie, gib, geben sie
fr: utilisez, saisissez, entrez
es: usa, introduce, ingresa
it: inserisci, utilizza
pt: digite, insira
nl: gebruik, voer
pl: wpisz, użyj
ru: введите, используйте
`);

export const purposes = phrases(`
en: to, in, on
de: um, ein
fr: pour
es: para
it: per
nl: om, in om
pl: aby
ru: чтобы, для
`);

/** Units, which make the number before them a quantity. */
export const units = phrases(`
signs: €, $, £, %
en: minute, min, hour, second, sec, day, week, month, year, user, people, member, digit, character, time, point, line
en: file, word, item, px, mb, gb, kb, km, kg, ml, am, pm, usd, eur, gbp, chf
de: stunde, sekunde, tag, uhr, ziffer, zeichen
fr: jour, heure, chiffre
es: hora, minuto, día, dígito
it: ore, giorni
pt: dias
nl: uur, dagen
pl: godzin, pln, zł
ru: минут, час, руб
tr: dakika, saat
sv: kr
ja: 年, 月, 日, 分, 時, 秒, 円, 人
zh: 元, 时
ko: 시간, 년, 월, 일, 분, 원, 명
`);

/** Near one of these, a mere "code" is one for shopping. */
export const shoppingWords = phrases(`
en: checkout, discount, coupon, voucher, sale, off, save, free shipping, gift card, cart, shop, promo, offer
de: rabatt, gutschein, angebot, warenkorb
fr: réduction, remise, offre, panier
es: descuento, oferta, compra
it: sconto, offerta
pt: desconto
nl: korting
pl: rabat
ru: скидка, скидку
tr: indirim
ja: 割引, クーポン
zh: 优惠, 折扣
ko: 할인, 쿠폰
`);

/** Near one of these, a mere "code" is one of a machine. */
export const failureWords = phrases(`
en: error, fail, unknown, exception, exit, said, reject, http, smtp
de: fehler
fr: erreur
it: errore
pl: błąd
ru: ошибк
tr: hata
ja: エラー
zh: 错误
ko: 오류
`);

/** A mail that calls its one-time code a mere "code" has one of these near it. */
export const accessWords = phrases(`
en: verif, confirm, sign in, signing in, log in, logging in, password, expire, valid for, minute, share, authenticat
en: secur, access, activat, account, device, identity, one time, once, connect, approve, pair
de: bestätig, anmeld, einloggen, passwort, gültig, minute, sicher, zugang, aktivier, konto, registrier, weitergeben
fr: vérifi, confirm, connexion, connecter, mot de passe, expire, valable, sécurité, compte, inscription, accès
es: verific, confirm, acceso, acceder, contraseña, caduca, vence, válido, seguridad, cuenta, sesión, minuto
it: verific, conferm, acced, accesso, scade, valido, sicurezza, minuti, autentic
pt: verific, confirm, acess, senha, expira, válido, segurança, conta, minuto
nl: verifi, bevestig, inlog, wachtwoord, geldig, verloopt, vervalt, beveilig, aanmeld, minuten
pl: weryfik, potwierd, zalog, logow, hasło, ważny, wygas, bezpiecz, minut
ru: подтвер, вход, войти, войд, парол, действ, безопас, минут, аккаунт, никому
uk: підтвер, вхід, вход, пароль, хвилин
tr: doğrul, onay, giriş, şifre, geçerli, güvenlik, hesab, dakika
ja: 認証, 確認, ログイン, パスワード, 有効, 登録, セキュリティ
zh: 验证, 驗證, 登录, 登入, 密码, 有效, 注册, 安全
ko: 인증, 확인, 로그인, 비밀번호, 유효, 가입, 보안
sv: bekräft, verifier, logga in, lösenord, giltig, gäller, minuter
da: bekræft, log ind, adgangskode, gyldig, udløber, minutter
fi: vahvist, kirjaudu, salasana, voimassa
cs: ověř, potvr, přihlá, heslo, platn
el: επαλήθευσ, σύνδεσ, κωδικό πρόσβασης, λεπτά
ar: التحقق, تسجيل, صلاحية, دقائق
he: אימות, התחבר, סיסמה, דקות
th: ยืนยัน, เข้าสู่ระบบ, รหัสผ่าน
`);
