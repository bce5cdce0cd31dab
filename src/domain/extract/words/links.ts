import {phrases} from './phrases.js';

/*
 * What links are for, as their text or the words before them say. A phrase counts where a word begins with it, so that
 * stems are enough ("verif", "bestätig").
 */

/** The one step that the mail asks for. */
export const actionWords = phrases(`
en: verif, confirm, activat, reset, new password, change password, change your password, set password
en: set your password, choose a password, create password, create a password, sign in, log in, magic link, accept
en: join, invitation, approve, unlock, finish, complete, get started, set up your account, validate, recover
en: authorize, authorise, restore, claim, continue, going?, rsvp, sign the, sign document, become, reactivate
de: bestätig, aktivier, zurücksetzen, passwort ändern, neues passwort, anmelden, einloggen, annehmen, beitreten
de: freischalten, verifizier
fr: confirmer, vérifi, activer, réinitialis, se connecter, connexion, accepter, rejoindre, nouveau mot de passe, valider
es: confirmar, verificar, activar, restablec, iniciar sesión, aceptar, unirse, nueva contraseña, cambiar contraseña
es: acceder
it: conferma, verifica, attiva, reimposta, accedi, accetta, unisciti, nuova password
pt: ativar, redefin, entrar, aceitar, nova senha
nl: bevestig, verifieer, activeer, herstel, inloggen, accepteer, deelnemen, nieuw wachtwoord, wachtwoord instellen
pl: potwierd, aktywuj, zresetuj, nowe hasło, zaloguj, akceptuj, dołącz, zweryfikuj, zmień hasło, ustaw hasło
ru: подтверд, активир, сброс, войти, принять, новый пароль, присоединиться, восстанов, сменить пароль
tr: doğrula, onayla, etkinleştir, sıfırla, giriş yap, kabul et, katıl, yeni şifre, aktifleştir
ja: 確認する, 認証, 有効化, 再設定, リセット, ログイン, 参加, 承認, 承諾, 本登録, 登録を完了, メールアドレスを確認
ja: メールアドレスの確認
zh: 验证, 驗證, 激活, 重置, 重設, 登录, 登入, 接受, 加入, 确认
ko: 인증, 확인하기, 활성화, 재설정, 로그인, 수락, 참여
`);

/** What people may do next in a mail that asks for nothing. */
export const offerWords = phrases(`
en: view, track, check in, see, open, pay, download, review, shop, read, manage booking, order, start, rate
en: go to, update, upgrade, renew, set up, add, create, enable, try, give access, delete your, delete account, reply
en: click here, tap here
de: ansehen, anzeigen, verfolgen, bezahlen, herunterladen, öffnen, jetzt, hier klicken
fr: voir, suivre, payer, télécharger, ouvrir, consulter, cliquez ici, cliquer ici
es: ver, seguir, pagar, descargar, abrir, haga clic, haz clic
it: vedi, visualizza, segui, paga, scarica, apri, clicca qui
pt: ver, acompanhar, pagar, baixar, abrir, clique aqui
nl: bekijk, volg, betaal, download, open, klik hier
pl: zobacz, śledź, zapłać, pobierz, otwórz, kliknij
ru: смотреть, посмотреть, отследить, оплатить, скачать, открыть, нажмите
tr: görüntüle, aç, tıkla
ja: こちら
zh: 查看, 打开, 打開, 点击, 點擊
ko: 보기, 보러
`);

/** What stands at the edge of a mail: settings, help, legal notices. */
export const edgeWords = phrases(`
en: unsubscribe, opt out, preferences, email settings, notification settings, settings, privacy, terms, legal, help
en: support, contact, faq, imprint, view this email, view online, web version
en: in browser, in your browser, block, report abuse, report spam, about, what is, blog, careers, download on the, get it on, app store, google play, follow us
en: learn more, if you'd like, if you would like, not you, wasn't, did not, didn't, cancel, docs, documentation, home page, forward to a friend
en: powered by, advertise, decline, deny, ignore, report misuse, report abus, question, live chat, community, forum
de: abmelden, abbestellen, datenschutz, impressum, agb, hilfe, kontakt, im browser, einstellungen, ablehnen
de: missbrauch, missbräuchlich, mehr erfahren, nutzungsbedingungen
fr: désabonner, se désabonner, désinscri, mentions légales, confidentialité, aide, contacter, navigateur, préférences
fr: refuser, signaler, nous contacter, conditions, en savoir plus
es: darse de baja, cancelar, privacidad, aviso legal, ayuda, contacto, navegador, preferencias, rechazar
es: contactar, denunciar, saber más, condiciones
it: disiscriv, annulla, assistenza, rifiuta, privacy, contatta, segnala, scopri di più
pt: privacidade, ajuda, descadastr, recusar, contato, denunciar, saiba mais
nl: afmelden, uitschrijven, privacybeleid, hulp, weigeren, misbruik, meer informatie
pl: wypisz, rezygn, polityka, pomoc, kontakt, skontaktuj, odrzuć, zgłoś, dowiedz się
ru: отписаться, конфиденциальност, помощь, поддержк, отклонить, сообщить, свяжитесь, узнать больше
tr: abonelikten, gizlilik, yardım, destek, reddet, bize ulaşın, bildir
ja: 配信停止, 退会, ヘルプ, プライバシー, お問い合わせ, 報告, 利用規約
zh: 退订, 退訂, 隐私, 隱私, 帮助, 幫助, 联系, 聯絡
ko: 수신거부, 개인정보, 고객센터, 도움말
`);

/** Names of sites and stores that a link at the edge of a mail bears alone. */
export const siteNames = phrases(`
any: x, twitter, facebook, instagram, linkedin, youtube, tiktok, pinterest, reddit, discord, slack, telegram, whatsapp
any: mastodon, bluesky, threads, medium, github, gitlab, app store, google play, play store, chrome, firefox, safari, edge
any: android, ios, android app, ios app, blog, website, homepage
`);
