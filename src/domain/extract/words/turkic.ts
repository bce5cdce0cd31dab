import type {Words} from './columns.js';

/** Turkic languages. */
export const turkic: Readonly<Record<string, Words>> = {
	tr: {
		code: 'kod~, şifreniz, şifrenizi, şifreni, şifren, geçici şifre~, geçici parola~, parolanız',
		otp: `giriş anahtarınız, giriş simgeniz, tek kullanımlık şifre~, tek kullanımlık parola~, tek seferlik şifre~, tek seferlik parola~, pini
			piniz, pininiz, pinizi, pininizi, doğrulama numara~, onay şifre~, giriş şifre~`,
		verify: `doğrula, onay, güvenlik, giriş, oturum, erişim, aktivasyon, etkinleştir, yetkilendir, kimlik
			tek kullanımlık, tek seferlik, kayıt, üyelik, geçici, kurtar, sıfırla, iki aşamalı, iki adımlı
			iki faktörlü`,
		about: 'şifre, parola, geçerli, dakika, hesab, paylaş',
		number: 'numara~, no, numarası, numaralı',
		thing: `indirim~, promosyon~, posta~, hata~, kupon~, kargo~, takip~, sipariş~, müşteri~, ürün~, rezervasyon~
			fatura~, ülke~, alan~, barkod~, kaynak~, qr, hediye~, oda, kapı~, teslimat~, stok~, durum~, referans~
			davet eden~, model, demirbaş, envanter, kategori, sorun~, arıza~
			üye~, personel~, öğrenci~, hasta~, sözleşme~, neden~, kurs~, çalışan~, malzeme`,
		parcel: 'kargo',
		offer: 'indirim, kampanya, kupon, fırsat, hediye, sepet',
		failure: 'hata, başarısız',
		numbered: 'sipariş, fatura, telefon, tel, oda, kat, tutar, toplam, hesap, kart, versiyon, daire',
		ref: 'takip no, vergi no, tckn, mersis, posta kodu, kargo takip, barkod~, ile biten',
		is: 'olarak, şudur, şöyledir, budur',
		enter: 'kullanın, girin, giriniz, kullan, gir, yazın, yaz, kullanınız, kopyalayın, aşağıdaki',
		to: 'ile, için, kullanarak, girerek, yazarak',
		unit: `dakika~, saat~, gün~, saniye~, hane~, haneli, basamak~, karakter~, tl, lira, yıl~, ay, hafta~, kişi
			adet, puan, tarihinde, tarihine, kullanıcısı, kullanıcısının`,
		password: 'şifre, parola',
		cart: 'sepet, ödeme sırasında, ödeme sayfa, kasada, ödeme yaparken',
		here: 'işte, işte burada, burada',
	},
	az: {
		code: 'şifrəniz, müvəqqəti parol~',
		otp: 'birdəfəlik şifrə~, birdəfəlik parol~, birdəfəlik kod~, pin kod~',
		verify: `təsdiq, doğrula, yoxlama, təhlükəsiz, giriş, daxil ol, daxilolma, avtoriz, birdəfəlik, aktivləş
			qeydiyyat, müvəqqəti, bərpa, identifik`,
		about: 'şifrə, parol, etibarlı, dəqiqə, hesab, paylaşm, müddət',
		number: 'nömrə~, №',
		thing: `endirim~, poçt~, sifariş~, xəta~, müştəri~, məhsul~, promo~, izləmə~, rezerv~, faktura~, ölkə~
			ştrix~, mənbə~, qr, hədiyyə~, otaq~`,
		offer: 'endirim, kupon, təklif, hədiyyə, kampaniya',
		failure: 'xəta, uğursuz',
		numbered: 'sifariş, faktura, telefon, tel, otaq, mərtəbə, məbləğ',
		is: 'kimi, budur, belədir',
		enter: 'daxil edin, istifadə edin, yazın, daxil et, kopyalayın, aşağıdakı',
		to: 'ilə, üçün',
		unit: 'dəqiqə~, saat~, gün~, saniyə~, rəqəm~, manat, azn, il, ay',
		password: 'şifrə, parol',
		cart: 'səbət, ödəniş zaman',
		here: 'budur, buradadır',
		ref: 'mal kodu',
	},
	uz: {
		code: 'муваққат парол',
		otp: 'bir martalik parol~, bir martalik kod~, бир марталик парол~, бир марталик код~, pin kod~',
		verify: `tasdiq, tekshir, xavfsiz, kirish, avtoriz, bir martalik, faol, roʻyxat, ro‘yxat, tiklash, vaqtincha
			identifik, тасдиқ, текшир, хавфсиз, кириш, бир марталик, рўйхат, тиклаш`,
		about: 'parol, amal qil, daqiqa, hisob, muddat, дақиқа, ҳисоб, амал қил',
		number: 'raqam~, рақам~',
		thing: `chegirma~, pochta~, buyurtma~, xato~, mijoz~, mahsulot~, promo~, kuzatish~, hisob faktura~
			mamlakat~, shtrix~, manba~, qr, sovg~, чегирма~, почта~, буюртма~, хато~, мижоз~, маҳсулот~, xona~
			muammo~`,
		parcel: 'posilka, jo‘natma',
		offer: 'chegirma, kupon, taklif, aksiya, чегирма',
		failure: 'xato, хато',
		numbered: 'buyurtma, telefon, tel, xona, summa, буюртма, телефон',
		is: 'bu, quyidagi, sifatida',
		enter: 'kiriting, foydalaning, ishlating, киритинг, фойдаланинг, yozing',
		to: 'bilan, uchun, orqali, учун, билан',
		unit: 'daqiqa~, soat~, kun~, soniya~, raqamli, so‘m, сўм, дақиқа~, соат~, yil',
		password: 'parol, парол',
		cart: 'savat, to‘lov paytida, сават',
		here: 'mana, мана',
	},
	kk: {
		code: 'коды, кодын, кодты, кодыңыз~, кодтың, кодпен, құпия сөз~',
		otp: 'бір реттік құпия сөз~, бір реттік код~, бір жолғы құпия сөз~, бір жолғы код~',
		verify: `растау, тексер, қауіпсіз, кіру, авториз, бір реттік, бір жолғы, белсен, тірке, қалпына, уақытша
			сәйкестен, аутентиф`,
		about: 'құпия, жарамды, минут, аккаунт, тіркелгі, мерзім',
		number: 'нөмір~',
		thing: `жеңілдік~, пошта~, тапсырыс~, қате~, клиент~, тауар~, өнім~, қадағалау~, шот, бастапқы~, qr, сыйлық~
			бөлме~, мәселе~`,
		offer: 'жеңілдік, купон, ұсыныс, акция',
		failure: 'қате',
		numbered: 'тапсырыс, телефон, бөлме, қабат',
		is: 'бұл, ретінде, мынау',
		enter: 'енгізіңіз, пайдаланыңыз, қолданыңыз, жазыңыз, теріңіз, келесі',
		to: 'үшін, арқылы',
		unit: 'минут~, сағат~, күн~, секунд~, сан, таңба, теңге, жыл',
		password: 'құпиясөз, құпия сөз, пароль',
		cart: 'себет, төлем кезінде',
		here: 'міне',
	},
	ky: {
		code: 'коду~, кодду~, кодуңуз~, кодуңузду, сырсөз~, купуя сөз~',
		otp: 'бир жолку сырсөз~, бир жолку код~, бир жолку купуя сөз~',
		verify: `ырасто, тастыкто, текшер, коопсуз, кирүү, авториз, бир жолку, активдештир, катто, калыбына
			убактылуу, аныкто, аутентиф`,
		about: 'сырсөз, жарактуу, мүнөт, аккаунт, мөөнөт, эсеп',
		number: 'номер~',
		thing: `арзандат~, почта~, буйрутма~, ката~, кардар~, товар~, көз салуу~, эсеп фактура~, өлкө~, баштапкы~
			qr, белек~, бөлмө~, көйгөй~, өнүм`,
		offer: 'арзандат, купон, сунуш, акция',
		failure: 'ката',
		numbered: 'буйрутма, телефон, бөлмө, кабат',
		is: 'бул, катары, төмөнкү',
		enter: 'киргизиңиз, колдонуңуз, пайдаланыңыз, жазыңыз, териңиз, төмөнкү',
		to: 'үчүн, аркылуу, менен',
		unit: 'мүнөт~, саат~, күн~, секунд~, сан, белги, сом, жыл',
		password: 'сырсөз',
		cart: 'себет, төлөөдө',
		here: 'мына',
	},
};
